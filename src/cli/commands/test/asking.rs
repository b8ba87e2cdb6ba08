//! Estimate of the number and cost of model requests, reported before the first one.

use super::voices::Own;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::ledger::{TESTS, UNPRICED_TOKENS};
use crate::model::{Usage, Usd};
use crate::testing::{Real, Test};
use std::sync::Arc;

/// Assumed tokens per request.
const PROMPT_TOKENS: u64 = 1_500;
/// Assumed tokens per reply.
const REPLY_TOKENS: u64 = 200;

/// Reports an estimate of all model requests that the tests may make, and the limit.
///
/// # Errors
/// If `max_usd` cannot be enforced because a model has no known price. The default limit counts the tokens of such a
/// model instead.
pub fn announce(
    tests: &[Arc<Test>],
    own: &Own,
    max_usd: Option<Usd>,
    context: &Context,
) -> Result<(), Failure> {
    let usage =
        |n: u64| Usage { input: n * PROMPT_TOKENS, output: n * REPLY_TOKENS, ..Usage::default() };
    let mut requests = 0;
    let mut usd = Usd(0);
    let mut unpriced = false;
    for (name, count) in tests.iter().flat_map(|test| test.requests()) {
        requests += count;
        // an unknown model is reported by its test
        let Ok(model) = own.model(&name) else { continue };
        if let Some(price) = model.price {
            usd += price.cost(&usage(count));
        } else if !model.local {
            unpriced = true;
            if let Some(limit) = max_usd {
                let name = &model.name;
                let path = context.settings()?.path;
                let why = format!(
                    "the limit of {limit} cannot be enforced: no price is known for {name}"
                );
                return Err(Failure::new(Exit::Invalid, why).hint(format!(
                    "set its price in {}, in dollars per million tokens: [models.\"{name}\"] price = [IN, OUT]; or \
                     leave out --max-usd, which limits such models to {UNPRICED_TOKENS} tokens",
                    path.display()
                )));
            }
        }
    }
    if requests == 0 {
        return Ok(());
    }
    let limit = max_usd.unwrap_or(TESTS);
    let tokens = usage(requests).tokens();
    let unpriced = if unpriced {
        format!(", and {UNPRICED_TOKENS} tokens for models without a price")
    } else {
        String::new()
    };
    context.say(&format!(
        "about {requests} requests to models, fewer if replies are recorded: ~{tokens} tokens, ~{usd}; \
         limit {limit}{unpriced} (--max-usd); Ctrl-C stops"
    ));
    Ok(())
}
