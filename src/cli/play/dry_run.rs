//! `--dry-run`: the speaking order, the first prompts and an estimate of the usage, without any call.
//!
//! Runs the real engine with placeholder replies of a typical length, so that orders, horizons, limits and the growth
//! of prompts match the real conversation. Everything that depends on the text of the replies, such as mentions, votes
//! and stop rules, differs with real replies.

use crate::cli::args::PrintFormat;
use crate::cli::error::{Exit, Failure};
use crate::cli::output;
use crate::clock::VIRTUAL_EPOCH;
use crate::engine::{self, Input};
use crate::export::{Hearer, cost, spent};
use crate::model::payload::{Opened, TurnEnded};
use crate::model::*;
use crate::state::{Live, Spent, State, Turn};
use crate::{prompt, text};
use serde_json::{Value, json};

/// Maximum number of utterances in a plan.
const PLAN_MAX: u32 = 200;
/// Heading of the speaking order.
const ORDER: &str = "  order    with replies of a usual length:\n";
/// Steps of the speaking order that `check` prints.
const ORDER_MAX: usize = 12;
/// Tokens of a placeholder reply: what 150 words take.
const REPLY_TOKENS: u64 = 200;
/// Text that counts as one token.
const WORD: &str = "word";

/// A conversation of placeholder replies.
#[derive(Default)]
struct Plan {
    state: State,
    batches: Vec<Planned>,
    /// Number of batches up to the first one whose replies decide who speaks next.
    foreseen: Option<usize>,
    /// Prompts of the seats that speak before the first reply.
    first: Vec<Shown>,
    /// True if a prompt did not fit its context window.
    truncated: bool,
}

/// Estimated usage of a conversation.
pub struct UsageEstimate {
    /// Tokens and cost.
    pub spent: Spent,
    /// True if a prompt will not fit its context window.
    pub truncated: bool,
}

/// A batch of the plan: the seats that speak at once.
struct Planned {
    /// The policy's reason for the batch.
    why: Text,
    /// Seats with a turn in the batch, with the numbers of their utterances.
    seats: Vec<(Option<u32>, SeatId)>,
}

/// First prompt of a seat.
struct Shown {
    seat: SeatId,
    model: Text,
    tokens: Option<u64>,
    messages: Vec<Message>,
}

/// Prints the plan of a conversation that would be opened so, after a description of its scenario.
pub fn run(
    about: &str,
    opened: Opened,
    history: Vec<(Key, SteerLine)>,
    format: PrintFormat,
) -> Result<Exit, Failure> {
    let plan = Plan::played(opened, history);
    match format {
        PrintFormat::Text | PrintFormat::Md => output::text(&format!("{about}{}", plan.in_words())),
        PrintFormat::Jsonl => output::data(format!("{}\n", plan.as_json()).as_bytes()),
    }
}

/// Estimates a conversation.
pub fn estimated(opened: Opened) -> UsageEstimate {
    let plan = Plan::played(opened, vec![]);
    UsageEstimate { spent: plan.state.spent(), truncated: plan.truncated }
}

/// Returns the end of a conversation with this opening, with its estimated usage.
pub fn played(opened: Opened) -> State {
    Plan::played(opened, vec![]).state
}

/// Returns the speaking order of a conversation that would be opened so, as far as it is short.
pub fn order(opened: Opened) -> String {
    let plan = Plan::played(opened, vec![]);
    let steps = plan.steps();
    let mut out = String::from(ORDER);
    steps.iter().take(ORDER_MAX).for_each(|step| out.push_str(step));
    match steps.len().checked_sub(ORDER_MAX) {
        None | Some(0) => out.push_str(&format!("    {}\n", plan.end())),
        Some(more) => out.push_str(&format!("    and {more} more; --dry-run lists all\n")),
    }
    out
}

/// Returns what a plan uses, in words. The usage of agents and services is unknown.
pub fn used(state: &State) -> String {
    let seats = || state.seats.iter().flat_map(|seat| seat.spec.everyone());
    let agents = seats().any(|seat| matches!(seat.voice, VoiceSpec::Agent(_)));
    let services = seats().any(|seat| matches!(seat.voice, VoiceSpec::Http(_)));
    match (spent(&state.spent()), agents, services) {
        (Some(used), false, false) => used,
        (Some(used), true, _) => format!("{used}; agents not counted"),
        (Some(used), false, true) => format!("{used}; services not counted"),
        (None, true, _) => "unknown: agents report their own use".into(),
        (None, false, true) => "unknown: the use of a service is not counted".into(),
        (None, false, false) => "no model is called".into(),
    }
}

impl Plan {
    /// Returns the plan of a conversation with this opening.
    fn played(opened: Opened, history: Vec<(Key, SteerLine)>) -> Plan {
        let mut plan = Plan::default();
        plan.take(draft(ThreadId::ROOT, event::ENGINE, Box::new(opened).into()));
        for (key, line) in history {
            let live = Live::from(plan.state.clone());
            let given = engine::react(&live, plan.state.ms, &Input::Command { key, line });
            given.into_iter().for_each(|draft| plan.take(draft));
        }
        while plan.state.ended.is_none() && plan.state.utterances < PLAN_MAX {
            if let Some(draft) = engine::advance(&plan.state) {
                plan.take(draft);
            } else if let Some(turn) = plan.state.turns.values().next().cloned() {
                plan.take(reply(&turn));
            } else if let Some(draft) = plan.at_limit() {
                plan.take(draft);
            } else {
                break;
            }
        }
        plan
    }

    /// Returns the question to judges or a scribe that follows a limit if nobody raises it.
    fn at_limit(&self) -> Option<Draft> {
        self.state.limit.as_ref()?;
        let live = Live::from(self.state.clone());
        let follow = engine::react(&live, self.state.ms, &Input::Unattended);
        follow.into_iter().next().filter(|draft| matches!(draft.kind, Kind::BatchOpened(_)))
    }

    fn take(&mut self, draft: Draft) {
        let event = draft.into_event(self.state.next_seq, VIRTUAL_EPOCH, self.state.ms);
        self.state.apply(&event);
        if let Kind::BatchOpened(b) = &event.kind {
            self.batches.push(Planned { why: b.why.clone(), seats: vec![] });
            let thread = self.state.threads.get(&event.thread);
            let is_open = thread.is_some_and(|thread| {
                let traits = thread.traits();
                !traits.debates && !traits.dependencies
            });
            if is_open || matches!(b.purpose, Purpose::Pick | Purpose::Bid) {
                self.foreseen.get_or_insert(self.batches.len());
            }
        }
        if let (Kind::FloorGranted(g), Some(batch)) = (&event.kind, self.batches.last_mut()) {
            batch.seats.push((g.number, g.participant.clone()));
        }
        if let Kind::CallStarted(c) = &event.kind {
            self.truncated |= c.left_out > 0;
        }
        if let (Kind::CallStarted(c), true) = (&event.kind, self.state.utterances == 0) {
            self.first.extend(shown(&self.state, c.turn, &c.model));
        }
    }

    fn name(&self, seat: &SeatId) -> String {
        let name = self.state.seat(seat).map_or(&**seat, |s| &*s.spec.name);
        text::name(name).into_owned()
    }

    /// Returns the batches with a turn, until replies decide.
    fn foreseen(&self) -> impl Iterator<Item = &Planned> {
        let all = self.batches.iter().take(self.foreseen.unwrap_or(usize::MAX));
        all.filter(|batch| !batch.seats.is_empty())
    }

    /// Returns a line for each batch: who speaks, and why.
    fn steps(&self) -> Vec<String> {
        let seat = |(number, seat): &(Option<u32>, SeatId)| match number {
            Some(number) => format!("{number} {}", self.name(seat)),
            None => self.name(seat),
        };
        let line = |Planned { why, seats }: &Planned| {
            let seats: Vec<String> = seats.iter().map(seat).collect();
            format!("    {}  ({})\n", seats.join(", "), text::line(why))
        };
        self.foreseen().map(line).collect()
    }

    fn in_words(&self) -> String {
        let mut out = String::from(ORDER);
        out.push_str(&self.steps().concat());
        out.push_str(&format!("    {}\n", self.end()));
        out.push_str(&format!("  estimate {}\n", used(&self.state)));
        for seat in self.state.seats.iter().filter(|s| s.spent.used().is_some()) {
            let name = self.name(&seat.spec.id);
            let used = seat.spent.usage.tokens();
            let model = seat.spec.voice.label();
            let cost = cost(&seat.spent);
            let model = text::name(&model).into_owned();
            out.push_str(&format!("    {name}  {model}  ~{used} tokens, {cost}\n"));
        }
        for shown in &self.first {
            let tokens = shown.tokens.map(|n| format!(", ~{n} tokens")).unwrap_or_default();
            let (name, model) = (self.name(&shown.seat), text::name(&shown.model));
            out.push_str(&format!("\nfirst prompt of {name} ({model}{tokens})\n"));
            for message in &shown.messages {
                let words = message.text.trim().replace('\n', "\n    ");
                out.push_str(&format!("  {}\n    {words}\n", message.role.as_str()));
            }
        }
        out
    }

    fn end(&self) -> String {
        let depends = "then it depends on the replies";
        let mut edges = self.state.seats.iter().flat_map(|seat| &seat.spec.runs.after);
        let has_conditions = edges.any(|after| after.when.is_some());
        match (&self.state.ended, &self.state.limit) {
            (_, Some(at)) if self.foreseen.is_some() => {
                format!("{depends}, up to the limit of {}", at.what.words(at.limit))
            }
            (Some(_), None) if self.foreseen.is_some() => depends.into(),
            (_, Some(at)) => format!("stops at the limit of {}", at.what.words(at.limit)),
            // placeholder judgements cannot be read
            (Some(ended), None)
                if ended.reason == StopReason::Failure && self.state.scenario.verdict.is_some() =>
            {
                "ends with the verdict".into()
            }
            (Some(ended), None) if ended.reason == StopReason::Completed => {
                let end = crate::export::ended(ended.reason, Hearer::Operator);
                let earlier =
                    if has_conditions { "; conditions may change this order" } else { "" };
                end + earlier
            }
            // placeholders name nobody, vote for nothing and plan nothing
            (Some(_), None) => depends.into(),
            (None, None) if self.state.utterances >= PLAN_MAX => "and so on".into(),
            (None, None) => "then it waits for a person".into(),
        }
    }

    fn as_json(&self) -> Value {
        let spent = self.state.spent();
        let batch = |Planned { why, seats }: &Planned| {
            let seat = |(number, seat): &(Option<u32>, SeatId)| json!({"number": number, "participant": seat});
            json!({"why": why, "seats": seats.iter().map(seat).collect::<Value>()})
        };
        let figures = |spent: &Spent| {
            json!({
                "input": spent.usage.input, "output": spent.usage.output,
                "tokens": spent.usage.tokens(), "usd": spent.cost(),
                "leaves_out": spent.unpriced, "estimated": true,
            })
        };
        let seats = self.state.seats.iter().map(|s| {
            json!({
                "participant": s.spec.id, "voice": s.spec.voice.label(), "price": s.spec.price,
                "estimate": figures(&s.spent),
            })
        });
        let prompts = self.first.iter().map(|shown| {
            let messages = shown.messages.iter();
            let messages = messages.map(|m| json!({"role": m.role.as_str(), "content": m.text}));
            json!({
                "participant": shown.seat, "model": shown.model, "tokens": shown.tokens,
                "messages": messages.collect::<Value>(),
            })
        });
        json!({
            "plan": self.foreseen().map(batch).collect::<Value>(),
            "end": self.end(),
            "estimate": figures(&spent),
            "seats": seats.collect::<Value>(),
            "prompts": prompts.collect::<Value>(),
        })
    }
}

fn shown(state: &State, turn: TurnId, model: &Text) -> Option<Shown> {
    let turn = state.turns.get(&turn)?;
    let tokens = turn.parameters.prompt_tokens;
    // only models get a chat prompt
    let messages = match tokens {
        Some(_) => prompt::messages(&prompt::build(state, turn)),
        None => return None,
    };
    Some(Shown { seat: turn.seat.clone(), model: model.clone(), tokens, messages })
}

/// Returns the end of a turn, with placeholder text of a typical length.
fn reply(turn: &Turn) -> Draft {
    let most = turn.parameters.max_tokens.unwrap_or(REPLY_TOKENS);
    let text = WORD.repeat(most.min(REPLY_TOKENS) as usize);
    let model = turn.parameters.prompt_tokens.map(|_| turn.guess(text.len()));
    let cost = model.as_ref().zip(turn.reserve.price).map(|(usage, price)| price.cost(usage));
    let text = text.into();
    let end = TurnEnded { text, usage: model, cost, ..turn.ended(turn.since, Outcome::Said) };
    draft(turn.thread, &turn.seat, Box::new(end).into())
}
