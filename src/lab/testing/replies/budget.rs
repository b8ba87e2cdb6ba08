//! Cost of the model calls of all tests in one run of the program.
//!
//! Models on this machine cost nothing unless they have a price. Models elsewhere without a known price are limited in
//! tokens.

use crate::ledger::{Exhausted, Ledger, Money, Reservation};
use crate::model::{ErrorClass, Price, Usage, Usd};
use crate::voice::{CallFailure, CallRequest, Voice};
use std::sync::Arc;

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
    /// Account that its calls are charged to.
    pub budget: Arc<Ledger>,
}

impl RealModel {
    /// Reserves the highest cost of a call: its prompt and its longest reply.
    ///
    /// # Errors
    /// A failure of class [`ErrorClass::Budget`] if the limit does not allow the call.
    pub async fn reserve(&self, request: &CallRequest) -> Result<Reservation, CallFailure> {
        let bytes: usize = request.messages.iter().map(|message| message.text.len()).sum();
        let usage = Usage {
            input: bytes.div_ceil(BYTES_PER_TOKEN) as u64,
            output: request.parameters.max_tokens.unwrap_or(REPLY_TOKENS),
            ..Usage::default()
        };
        let cost = self.cost(&usage);
        self.budget.reserve_call(cost).await.map_err(|Exhausted(most)| {
            let why = if cost.usd > Usd(0) {
                format!("the limit of {} for models is reached; raise --max-usd", most.usd)
            } else {
                let tokens = most.tokens;
                format!("the limit of {tokens} tokens for models without a price is reached")
            };
            CallFailure::new(ErrorClass::Budget, why)
        })
    }

    /// Charges the tokens that a call used; without reported usage, all that was set aside.
    pub fn charge(&self, reservation: Reservation, usage: Option<&Usage>) {
        let cost = usage.map_or(reservation.money(), |usage| self.cost(usage));
        reservation.charge(cost);
    }

    fn cost(&self, usage: &Usage) -> Money {
        match self.price {
            Some(price) => Money { usd: price.cost(usage), tokens: 0 },
            None if self.local => Money::default(),
            None => Money { usd: Usd(0), tokens: usage.tokens() },
        }
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

    fn model(budget: &Arc<Ledger>, price: Option<Price>, local: bool) -> RealModel {
        RealModel {
            name: "x:y".into(),
            address: "x".into(),
            price,
            local,
            window: None,
            voice: Arc::new(Silent),
            budget: budget.clone(),
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
            in_words: vec![],
        }
    }

    /// Makes calls until one is refused, and returns the number of accepted ones.
    async fn calls(model: &RealModel) -> usize {
        for n in 0..9 {
            let Ok(reserved) = model.reserve(&request()).await else { return n };
            model.charge(reserved, Some(&Usage { input: 150_000, ..Usage::default() }));
        }
        9
    }

    #[tokio::test]
    async fn limits_dollars_and_tokens_of_models_without_a_price() {
        let dollar = || Ledger::new(None, Usd(1_000_000_000));
        assert_eq!(calls(&model(&dollar(), Some(Price(4.0, 1.0)), false)).await, 2);
        assert_eq!(calls(&model(&dollar(), None, false)).await, 2);
        assert_eq!(calls(&model(&dollar(), None, true)).await, 9);
    }

    #[tokio::test]
    async fn waits_for_running_calls_before_it_refuses() {
        let budget = Ledger::new(None, Usd(5_000_000));
        let model = model(&budget, Some(Price(2.0, 2.0)), false);
        let first = model.reserve(&request()).await.unwrap();
        let wanted = request();
        let second = model.reserve(&wanted);
        tokio::pin!(second);
        assert!(futures_pending(&mut second).await);
        model.charge(first, Some(&Usage::default()));
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
