//! Earlier calls and states of a conversation, from its log.

use crate::model::payload::{CallStarted, TurnEnded};
use crate::model::*;
use crate::state::State;
use crate::ui::view::transcript::Transcript;
use std::ops::ControlFlow;

impl Transcript {
    /// Returns the last call of a turn, and the end of the turn, if they exist.
    pub fn call_of(&self, turn: TurnId) -> (Option<(Seq, CallStarted)>, Option<TurnEnded>) {
        let mut last = None;
        let mut end = None;
        self.events(Seq(turn.0), &mut |event| {
            match &event.kind {
                Kind::CallStarted(call) if call.turn == turn => {
                    last = Some((event.seq, call.clone()));
                }
                Kind::TurnEnded(e) if e.turn == turn => {
                    end = Some((**e).clone());
                    return ControlFlow::Break(());
                }
                _ => {}
            }
            ControlFlow::Continue(())
        });
        (last, end)
    }

    /// Returns the state just after an event.
    pub fn state_at(&self, seq: Seq) -> State {
        let near = self.past.near(seq);
        let from = near.map_or(Seq(0), |(at, _)| at.next());
        let mut state = near.map_or_else(State::default, |(_, state)| state.clone());
        // pieces are most of the events, but do not affect prompts
        self.events(from, &mut |event| {
            if event.seq > seq {
                return ControlFlow::Break(());
            }
            state.apply(event);
            ControlFlow::Continue(())
        });
        state
    }
}
