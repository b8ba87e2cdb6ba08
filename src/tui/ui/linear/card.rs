//! Cards as text: the numbered choices of a request for permission, with the whole call, and of a person's vote.

use crate::model::{Command, Ms};
use crate::state::leave::asks_leave;
use crate::text;
use crate::ui::linear::menu::numbered;
use crate::ui::view::transcript::Transcript;

/// A card that was printed.
pub struct TextCard {
    /// Identity: another request with equal words is another card.
    id: String,
    question: String,
    pub choices: Vec<TextChoice>,
    /// Time at which it was printed.
    pub since: Ms,
}

#[derive(Clone)]
pub struct TextChoice {
    words: String,
    /// Effect of the second Enter; `None` if the first one decides.
    pub again: Option<String>,
    pub command: Command,
}

impl TextCard {
    /// Returns the card of the current state, if there is one.
    pub fn new(transcript: &Transcript, since: Ms) -> Option<TextCard> {
        let state = transcript.state();
        if let Some(asks) = asks_leave(state) {
            let decide = |yes, once| Command::Decide { tool: asks.tool.clone(), yes, once };
            let choice =
                |words: &str, command| TextChoice { words: words.into(), again: None, command };
            let lasts = format!("{} unasked until you leave", text::visible(&asks.tool));
            let choices = vec![
                choice("allow once", decide(true, true)),
                TextChoice {
                    again: Some(lasts),
                    ..choice("until you leave (asks once more)", decide(true, false))
                },
                choice("refuse", decide(false, false)),
            ];
            let who = transcript.name(&asks.seat);
            let question = format!("{who} asks to use {}. A number answers.", asks.describe());
            return Some(TextCard { id: format!("{:?}", asks.at), question, choices, since });
        }
        let who = transcript.human_turn()?;
        let choice = |words: String| TextChoice {
            command: Command::Speak { text: words.as_str().into(), who: who.clone() },
            again: None,
            words,
        };
        let choices: Vec<_> = transcript.human_choices().into_iter().map(choice).collect();
        let asked = transcript.human_question().unwrap_or_default();
        let question = format!("Your vote as {}. {asked} A number answers.", transcript.name(&who));
        let id = format!("{who} {asked}");
        (!choices.is_empty()).then_some(TextCard { id, question, choices, since })
    }

    /// Returns whether another card is the same request.
    pub fn is(&self, other: &TextCard) -> bool {
        self.id == other.id
    }

    /// Returns the question with its numbered choices.
    pub fn describe(&self) -> String {
        let words: Vec<String> = self.choices.iter().map(|choice| choice.words.clone()).collect();
        numbered(&self.question, &words)
    }
}
