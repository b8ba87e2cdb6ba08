//! The turn that the draft answers.

use crate::ui::screen::Screen;

/// Returns the number of the turn that the draft answers: one that the person has chosen or reads, or the last one if
/// another has begun meanwhile. Commands and whispers answer none.
pub fn answered(screen: &Screen) -> Option<u32> {
    let view = &screen.view;
    let state = screen.transcript.state();
    let first = view.composer.area.lines().first()?;
    let free = !view.composer.is_empty() && screen.transcript.human_turn().is_none();
    if !free || state.ended.is_some() || first.starts_with('/') || first.starts_with("@@") {
        return None;
    }
    let reply = view.reply;
    let earlier = (reply.began > 0 && reply.began < state.numbers).then_some(reply.began);
    let number = if reply.fixed { reply.to } else { reply.to.or(earlier) };
    number.filter(|number| name(screen, *number).is_some())
}

/// Returns the name of the speaker of a turn that ended or runs; `None` if it failed or is hidden.
pub fn name(screen: &Screen, number: u32) -> Option<String> {
    let state = screen.transcript.state();
    let runs = state.turns.values().find(|turn| turn.number == Some(number));
    let said = || state.utterance(number).filter(|entry| entry.hidden.is_none());
    let seat = runs.map(|turn| &turn.seat).or_else(|| said()?.seat())?;
    Some(screen.transcript.name(seat))
}

/// The turn that the draft answers, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnsweredTurn {
    /// The turn that the person reads or has chosen.
    pub to: Option<u32>,
    /// True if the person has chosen it, or has dropped it.
    pub fixed: bool,
    /// Last turn that had begun at the first character.
    pub began: u32,
}
