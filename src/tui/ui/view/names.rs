//! Names of participants, and the title, as shown on the screen.

use crate::model::{Purpose, SeatId};
use crate::text;
use crate::ui::view::transcript::Transcript;

impl Transcript {
    /// Returns the name of the current speaker, or the first of several.
    pub fn speaker(&self) -> Option<String> {
        self.speaking().next().map(|turn| self.name(&turn.seat))
    }

    /// Returns the seat that has the floor and for which the person at the screen speaks, if any.
    pub fn human_turn(&self) -> Option<SeatId> {
        let state = self.state();
        state.turns.values().find(|t| state.waits_for_operator(t)).map(|t| t.seat.clone())
    }

    /// Returns the seat whose turn a typed line is. A vote is given by the number of a choice, so other words then go to
    /// everybody.
    pub fn writing_turn(&self) -> Option<SeatId> {
        if self.human_choices().is_empty() { self.human_turn() } else { None }
    }

    /// Returns the choices of a pending vote of a person; empty without one.
    pub fn human_choices(&self) -> Vec<String> {
        let state = self.state();
        let turn = state.turns.values().find(|t| state.waits_for_operator(t));
        let batch = turn.filter(|t| t.purpose == Purpose::Vote).and_then(|t| state.batch_of(t));
        let options = batch.map_or(&[][..], |batch| &batch.spec.options);
        options.iter().map(|option| text::line(option).into_owned()).collect()
    }

    /// Returns the question of a pending vote of a person, safe for one line.
    pub fn human_question(&self) -> Option<String> {
        let state = self.state();
        let turn = state.turns.values().find(|t| state.waits_for_operator(t))?;
        let question = state.batch_of(turn)?.spec.question.as_ref()?;
        (turn.purpose == Purpose::Vote).then(|| text::line(question).into_owned())
    }

    /// Returns the index of a seat; 0 if unknown.
    pub fn seat_place(&self, id: &str) -> usize {
        self.state().seats.iter().position(|s| s.spec.id == id).unwrap_or(0)
    }

    /// Returns the name of a seat, safe for one line.
    pub fn name(&self, id: &SeatId) -> String {
        let seat = self.state().seat(id);
        let name = seat.map_or(&id.0, |s| &s.spec.name);
        text::name(name).into_owned()
    }

    /// Returns the names of seats, separated by commas.
    pub fn names<'a>(&self, ids: impl IntoIterator<Item = &'a SeatId>) -> String {
        ids.into_iter().map(|id| self.name(id)).collect::<Vec<_>>().join(", ")
    }

    /// Returns the title, safe for one line.
    pub fn title(&self) -> String {
        text::label(&self.state().shown_title()).into_owned()
    }
}
