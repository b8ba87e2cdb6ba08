//! Kinds of voices, and what depends on them.

use super::language_model::ModelSpec;
use super::participant::{Line, VoiceSpec};

impl VoiceSpec {
    /// Returns the model; `None` for any other voice.
    pub fn as_model(&self) -> Option<&ModelSpec> {
        match self {
            VoiceSpec::Model(spec) => Some(spec),
            _ => None,
        }
    }

    /// Returns whether it is a language model.
    pub fn is_model(&self) -> bool {
        self.as_model().is_some()
    }

    /// Returns the rehearsed lines and the milliseconds per word; `None` for any other voice.
    pub fn as_lines(&self) -> Option<(&[Line], u64)> {
        match self {
            VoiceSpec::Lines { lines, pace } => Some((lines, *pace)),
            _ => None,
        }
    }

    /// Returns whether it is rehearsed lines, or a team of only such voices.
    pub fn is_rehearsed(&self) -> bool {
        match self {
            VoiceSpec::Lines { .. } => true,
            VoiceSpec::Team(team) => team.participants.iter().all(|p| p.voice.is_rehearsed()),
            _ => false,
        }
    }

    /// Default milliseconds per rehearsed word.
    pub const PACE_MS: u64 = 70;

    /// Returns whether a language model reads its prompts, directly or in an agent.
    pub fn reads_as_a_model(&self) -> bool {
        matches!(self, VoiceSpec::Model(_) | VoiceSpec::Agent(_))
    }

    /// Returns whether it is a person, so that a turn has no call.
    pub fn is_human(&self) -> bool {
        matches!(self, VoiceSpec::Human { .. })
    }

    /// Returns whether it is a person in a browser, who has a link of `serve`.
    pub fn has_link(&self) -> bool {
        matches!(self, VoiceSpec::Human { link: true, .. })
    }

    /// Returns whether it is a person for whom the operator speaks.
    pub fn is_operators(&self) -> bool {
        self.is_human() && !self.has_link()
    }

    /// Returns the name of this voice in logs and transcripts.
    pub fn label(&self) -> String {
        match self {
            VoiceSpec::Model(m) => m.name.to_string(),
            VoiceSpec::Script(c) => format!("script:{}", c.first().map_or("", |c| &**c)),
            VoiceSpec::Http(h) => h.place().to_owned(),
            VoiceSpec::Agent(a) => format!("agent:{}", a.command.first().map_or("", |c| &**c)),
            VoiceSpec::Team(t) => format!("team:{}", t.file),
            VoiceSpec::Human { .. } => "human".into(),
            VoiceSpec::Lines { .. } => "rehearsed".into(),
        }
    }
}
