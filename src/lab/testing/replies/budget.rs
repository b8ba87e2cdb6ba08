//! Budget for the model calls of all tests in one run of the program.
//!
//! The prompt and the longest reply of a call are set aside before it starts, so that tests that run at the same time
//! stay below the limit together. Models on this machine cost nothing unless they have a price. Models elsewhere
//! without a known price are limited in tokens.

use crate::model::{ErrorClass, Price, Usage, Usd};
use crate::voice::{CallFailure, CallRequest, Voice};
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::sync::Notify;

/// Token limit of models without a known price.
pub const UNPRICED_TOKENS: u64 = 200_000;
/// Tokens set aside for a reply without a limit of its own.
const REPLY_TOKENS: u64 = 4_096;
/// Bytes that count as one token.
const BYTES_PER_TOKEN: usize = 4;

/// A model of the user's settings.
#[derive(Clone)]
pub struct RealModel {
    /// Name as `provider:name`.
    pub name: String,
    /// Base address and wire format of its server, without secrets.
    pub address: String,
    /// Price; `None` if unknown.
    pub price: Option<Price>,
    /// True if it runs on this machine.
    pub local: bool,
    /// Context window in tokens.
    pub window: Option<u32>,
    /// Voice that calls the model; it looks up the API key at the first call.
    pub voice: Arc<dyn Voice>,
    /// Budget that its calls are charged to.
    pub budget: Arc<CallBudget>,
}

/// The limit, and its use so far.
#[derive(Debug)]
pub struct CallBudget {
    usd: Usd,
    used: Mutex<Used>,
    settled: Notify,
}

#[derive(Debug, Default)]
struct Used {
    /// Cost of finished calls.
    spent: Cost,
    /// Sum of the amounts set aside for running calls.
    reserved: Cost,
    /// True if a call was refused.
    is_reached: bool,
}

/// An amount of money, and tokens of models without a price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cost {
    usd: Usd,
    tokens: u64,
}

impl Cost {
    fn new(model: &RealModel, usage: &Usage) -> Cost {
        match model.price {
            Some(price) => Cost { usd: price.cost(usage), tokens: 0 },
            None if model.local => Cost::default(),
            None => Cost { usd: Usd(0), tokens: usage.tokens() },
        }
    }

    fn plus(self, more: Cost) -> Cost {
        Cost { usd: self.usd + more.usd, tokens: self.tokens.saturating_add(more.tokens) }
    }

    fn minus(self, less: Cost) -> Cost {
        Cost {
            usd: Usd(self.usd.0.saturating_sub(less.usd.0)),
            tokens: self.tokens.saturating_sub(less.tokens),
        }
    }
}

/// An amount set aside for one call; dropping it frees the amount.
#[derive(Debug)]
pub struct Reservation<'a> {
    budget: &'a CallBudget,
    cost: Cost,
}

impl CallBudget {
    /// Returns an unused budget in dollars.
    pub fn new(usd: Usd) -> CallBudget {
        CallBudget { usd, used: Mutex::default(), settled: Notify::new() }
    }

    /// Returns true if a call was refused.
    pub fn is_reached(&self) -> bool {
        self.used.lock().is_reached
    }

    /// Reserves the cost of a call; waits for running calls if their reservations leave no room.
    ///
    /// # Errors
    /// A failure of class [`ErrorClass::Budget`] if the limit does not allow the call.
    pub async fn reserve(
        &self,
        model: &RealModel,
        request: &CallRequest,
    ) -> Result<Reservation<'_>, CallFailure> {
        let bytes: usize = request.messages.iter().map(|message| message.text.len()).sum();
        let usage = Usage {
            input: bytes.div_ceil(BYTES_PER_TOKEN) as u64,
            output: request.parameters.max_tokens.unwrap_or(REPLY_TOKENS),
            ..Usage::default()
        };
        let cost = Cost::new(model, &usage);
        loop {
            let settled = self.settled.notified();
            {
                let mut used = self.used.lock();
                if self.allows(used.spent.plus(used.reserved).plus(cost)) {
                    used.reserved = used.reserved.plus(cost);
                    return Ok(Reservation { budget: self, cost });
                }
                if !self.allows(used.spent.plus(cost)) {
                    used.is_reached = true;
                    return Err(CallFailure::new(ErrorClass::Budget, self.why_reached(cost)));
                }
            }
            settled.await;
        }
    }

    fn allows(&self, cost: Cost) -> bool {
        cost.usd <= self.usd && cost.tokens <= UNPRICED_TOKENS
    }

    fn why_reached(&self, cost: Cost) -> String {
        if cost.usd > Usd(0) {
            return format!("the limit of {} for models is reached; raise --max-usd", self.usd);
        }
        format!("the limit of {UNPRICED_TOKENS} tokens for models without a price is reached")
    }
}

impl Reservation<'_> {
    /// Replaces the reservation by the tokens that the call used; without reported usage, the whole reservation counts.
    pub fn settle(self, model: &RealModel, usage: Option<&Usage>) {
        let cost = usage.map_or(self.cost, |usage| Cost::new(model, usage));
        let mut used = self.budget.used.lock();
        used.spent = used.spent.plus(cost);
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let mut used = self.budget.used.lock();
        used.reserved = used.reserved.minus(self.cost);
        drop(used);
        self.budget.settled.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::payload::CallParameters;
    use crate::model::{
        Form, Limits, Message, ModelSpec, Participant, Price, Purpose, Role, TurnId, VoiceSpec,
    };
    use crate::voice::{Out, Speaking, Voice};
    use std::collections::BTreeMap;
    use std::sync::Arc;

    struct Silent;

    impl Voice for Silent {
        fn speak(&self, _: CallRequest, _: Out) -> Speaking {
            Box::pin(async {})
        }
    }

    fn model(price: Option<Price>, local: bool) -> RealModel {
        RealModel {
            name: "x:y".into(),
            address: "x".into(),
            price,
            local,
            window: None,
            voice: Arc::new(Silent),
            budget: Arc::new(CallBudget::new(Usd(0))),
        }
    }

    fn request() -> CallRequest {
        CallRequest {
            call: crate::model::CallId(0),
            turn: TurnId(0),
            seat: Arc::new(Participant::new("a", VoiceSpec::Model(ModelSpec::default()))),
            purpose: Purpose::Speak,
            number: None,
            attempt: 1,
            prompt: Arc::default(),
            messages: vec![Message::new(Role::User, "x".repeat(4_000))],
            tools: vec![],
            form: Form::Free,
            parameters: CallParameters { max_tokens: Some(1_000), ..CallParameters::default() },
            labels: BTreeMap::new(),
            facts: Arc::default(),
            left: Limits::default(),
            agent: None,
        }
    }

    /// Makes calls until one is refused, and returns the number of accepted ones.
    async fn calls(budget: &CallBudget, model: &RealModel) -> usize {
        for n in 0..9 {
            let Ok(reserve) = budget.reserve(model, &request()).await else { return n };
            reserve.settle(model, Some(&Usage { input: 150_000, ..Usage::default() }));
        }
        9
    }

    #[tokio::test]
    async fn limits_dollars_and_tokens_of_models_without_a_price() {
        let dollar = || CallBudget::new(Usd(1_000_000_000));
        assert_eq!(calls(&dollar(), &model(Some(Price(4.0, 1.0)), false)).await, 2);
        assert_eq!(calls(&dollar(), &model(None, false)).await, 2);
        assert_eq!(calls(&dollar(), &model(None, true)).await, 9);
    }

    #[tokio::test]
    async fn waits_for_running_calls_before_it_refuses() {
        let budget = CallBudget::new(Usd(5_000_000));
        let model = model(Some(Price(2.0, 2.0)), false);
        let first = budget.reserve(&model, &request()).await.unwrap();
        let wanted = request();
        let second = budget.reserve(&model, &wanted);
        tokio::pin!(second);
        assert!(futures_pending(&mut second).await);
        first.settle(&model, Some(&Usage::default()));
        second.await.unwrap();
        assert!(!budget.is_reached());
    }

    /// Returns true if a future is not ready yet.
    async fn futures_pending<F: Future + Unpin>(future: &mut F) -> bool {
        tokio::select! { biased;
            _ = future => false,
            () = std::future::ready(()) => true,
        }
    }
}
