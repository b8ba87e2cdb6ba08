//! Budget of a batch: its limits, the estimate before the first call, and the command that resumes a batch after the
//! budget is exhausted.

use super::protocols::Prepared;
use crate::batch::{Equal, Slice};
use crate::cli::error::{Exit, Failure};
use crate::cli::play::assemble::opened;
use crate::cli::play::dry_run;
use crate::model::Participant;
use crate::prompt::assumed_window;
use crate::state::Spent;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Default limit for the whole batch, in dollars.
const DEFAULT_USD: f64 = 5.0;
/// Default limit per conversation, in tokens, if a model without a price takes part.
const DEFAULT_TOKENS: u64 = 200_000;

/// Limits of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BatchBudget {
    /// Limits for all conversations of this part together.
    pub together: Slice,
    /// Number of parts that share the limits of the batch equally; 1 for an undivided batch.
    parts: u64,
    /// Default token limit per conversation.
    pub tokens_each: Option<u64>,
    /// True if the limits are defaults, not set on the command line.
    is_default: bool,
}

impl BatchBudget {
    /// Returns the limits of the command line (`whole`), or the defaults, divided among the parts of the batch. Local
    /// models and rehearsed lines cost nothing and have no default limit.
    pub fn new(whole: Slice, parts: u64, seats: &[&Participant]) -> BatchBudget {
        let mut budget = BatchBudget { together: whole, parts, ..BatchBudget::default() };
        if whole == Slice::default() {
            budget.is_default = true;
            if seats.iter().any(|seat| seat.uncountable().is_some()) {
                budget.tokens_each = Some(DEFAULT_TOKENS);
            } else if seats.iter().flat_map(|seat| seat.everyone()).any(|seat| seat.price.is_some())
            {
                budget.together.usd = Some(DEFAULT_USD);
            }
        }
        let Slice { usd, tokens } = &mut budget.together;
        usd.iter_mut().for_each(|usd| *usd /= parts as f64);
        tokens.iter_mut().for_each(|tokens| *tokens = (*tokens / parts).max(1));
        budget
    }

    /// Describes the default limit, or the share of a part in the limits; `None` without one.
    pub fn describe(&self) -> Option<String> {
        let of = match self.parts {
            1 => "all conversations".to_owned(),
            parts => format!("this part, one of {parts}"),
        };
        let Slice { usd, tokens } = self.together;
        if !self.is_default {
            let shares = usd.map(|usd| format!("${usd:.2}")).into_iter();
            let shares = shares.chain(tokens.map(|tokens| format!("{tokens} tokens")));
            let shares = shares.collect::<Vec<_>>().join(" and ");
            return (self.parts > 1).then(|| format!("limit: {shares} for {of}"));
        }
        let usd =
            usd.map(|usd| format!("limit: ${usd:.2} for {of} (default; change it with --max-usd)"));
        usd.or(self.tokens_each.map(|tokens| {
            format!(
                "limit: {tokens} tokens per conversation, as a model has no known price (default; change it with \
                 --max-tokens for all conversations)"
            )
        }))
    }

    /// Returns the arguments that resume the batch after its budget is exhausted: the current ones, with doubled
    /// limits.
    pub fn raised(&self, arguments: &[String]) -> Vec<String> {
        let mut raised: Vec<String> = vec![];
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let is_limit = |flag: &str| word == flag || word.starts_with(&format!("{flag}="));
            if !is_limit("--max-usd") && !is_limit("--max-tokens") {
                raised.push(word.clone());
            } else if !word.contains('=') {
                words.next();
            }
        }
        let Slice { usd, tokens } = self.together;
        let times = 2 * self.parts;
        let usd = usd.map(|usd| ("--max-usd", format!("{}", usd * times as f64)));
        let tokens = tokens.map(|tokens| ("--max-tokens", (tokens * times).to_string()));
        for (flag, value) in usd.into_iter().chain(tokens) {
            raised.extend([flag.to_owned(), value]);
        }
        raised
    }
}

/// Estimates the tokens and cost of the batch from its first item: no lines if no model is called.
///
/// # Errors
/// If prompts will not fit a context window that is only assumed: a prompt without a part of the conversation would
/// change the result, and only for protocols in which participants read each other.
pub fn estimate(
    all: &[Prepared],
    first: &Map<String, Value>,
    items: u64,
) -> Result<Vec<String>, Failure> {
    let mut sum = Spent::default();
    let mut compared = Spent::default();
    let mut lines = vec![];
    for prepared in all.iter().filter(|prepared| !prepared.loaded.all_rehearsed()) {
        let used = if prepared.arm.equal == Equal::Tokens {
            compared.clone()
        } else {
            let calls = prepared.arm.planned.map(|(_, most)| most);
            let opened = opened(prepared.of_item(first, calls)?, BTreeMap::new(), 0, false)?;
            let estimate = dry_run::estimated(opened);
            if estimate.truncated {
                lines.push(too_long(prepared)?);
            }
            estimate.spent
        };
        if prepared.arm.baseline_of.is_none() {
            compared = used.clone();
        }
        sum = sum.with(&used);
    }
    let tokens = sum.usage.tokens().saturating_mul(items);
    let money = match sum.cost() {
        Some(usd) => format!("${:.2}", f64::from(usd) * items as f64),
        None => "no price".to_owned(),
    };
    if tokens > 0 {
        lines.insert(0, format!("estimate from the first item: ~{tokens} tokens, {money}"));
    }
    Ok(lines)
}

/// Returns the warning for a protocol whose prompts will not fit; an error if a window is only assumed.
fn too_long(prepared: &Prepared) -> Result<String, Failure> {
    let name = &prepared.arm.name;
    let mut seats = prepared.loaded.participants.iter().filter(|seat| seat.window.is_none());
    let unknown = seats.find_map(|seat| Some((&seat.voice.as_model()?.name, assumed_window(seat))));
    match unknown {
        None => Ok(format!(
            "{name}: prompts may not fit the context window; conversations in which they do not are not counted"
        )),
        Some((model, window)) => Err(Failure::new(
            Exit::Invalid,
            format!(
                "{name}: prompts will not fit {window} tokens, the assumed context window of {model}; its server \
                 does not state one"
            ),
        )
        .hint(format!("set [models.\"{model}\"] window = N in the settings"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ModelSpec, Price, VoiceSpec};

    #[test]
    fn a_default_limit_bounds_only_models_that_cost_something() {
        let seat = |local: bool, price: Option<Price>| {
            let voice = VoiceSpec::Model(ModelSpec { name: "a:b".into(), ..ModelSpec::default() });
            Participant { local, price, ..Participant::new("ada", voice) }
        };
        let free = seat(true, None);
        let priced = seat(false, Some(Price(1.0, 2.0)));
        let unknown = seat(false, None);
        let lines = Participant::new("bo", VoiceSpec::Lines { lines: vec![], pace: 0 });
        let limits = |seats: &[&Participant]| {
            let budget = BatchBudget::new(Slice::default(), 1, seats);
            (budget.together.usd, budget.tokens_each)
        };
        assert_eq!(limits(&[&free, &lines]), (None, None));
        assert_eq!(limits(&[&free, &priced]), (Some(5.0), None));
        // a dollar limit would reject a model without a price
        assert_eq!(limits(&[&priced, &unknown]), (None, Some(200_000)));
        let own = Slice { usd: None, tokens: Some(7) };
        let budget = BatchBudget::new(own, 1, &[&priced, &unknown]);
        assert_eq!((budget.together, budget.tokens_each), (own, None));
        assert_eq!(budget.describe(), None);
        let part = BatchBudget::new(Slice::default(), 4, &[&priced]);
        let told = "limit: $1.25 for this part, one of 4 (default; change it with --max-usd)";
        assert_eq!(part.describe().as_deref(), Some(told));
        let part = BatchBudget::new(Slice { usd: Some(2.0), tokens: Some(100) }, 4, &[&priced]);
        let told = "limit: $0.50 and 25 tokens for this part, one of 4";
        assert_eq!(part.describe().as_deref(), Some(told));
    }

    #[test]
    fn doubles_the_limits_of_a_command() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let together = Slice { usd: Some(0.5), tokens: Some(100) };
        let budget = BatchBudget { together, parts: 1, ..BatchBudget::default() };
        let raised = budget.raised(&words("batch s --max-usd 0.5 --items i --max-tokens=100"));
        assert_eq!(raised, words("batch s --items i --max-usd 1 --max-tokens 200"));
        let together = Slice { usd: Some(DEFAULT_USD), tokens: None };
        let budget = BatchBudget { together, parts: 4, is_default: true, tokens_each: None };
        assert_eq!(budget.raised(&words("batch s")), words("batch s --max-usd 40"));
    }
}
