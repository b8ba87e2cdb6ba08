//! Kinds of keys and values, for every table of keys.

#[derive(Clone, Copy, Debug)]
pub enum ValueKind {
    /// Text of any length.
    Text,
    /// Text on a single line.
    Line,
    /// Text in which `{{ ... }}` is filled in.
    Template,
    /// Text of a prompt in which `{{ ... }}` is filled in, also with the messages that its reader sees.
    Prompt,
    /// Text in which `{{ ... }}` is filled in with these names; any other name is an error.
    TemplateOf(&'static [&'static str]),
    /// An expression over these names.
    Condition(&'static [&'static str]),
    /// `[a-z0-9_-]`.
    Id,
    /// `provider:name`, or a word for a model.
    Model,
    /// Seconds, or text such as `"30s"`.
    Duration,
    /// `true` only.
    True,
    /// A boolean, `true` or `false`.
    Flag,
    /// An integer, both bounds included.
    Count {
        /// Minimum.
        least: u64,
        /// Maximum.
        most: u64,
    },
    /// A number with or without decimals, both bounds included.
    Number {
        /// Minimum.
        least: f64,
        /// Maximum.
        most: f64,
    },
    /// One of some words.
    OneOf(&'static [&'static str]),
    /// A list of at least one value.
    List(&'static ValueKind),
    /// The empty list.
    Empty,
    /// A table with these keys.
    Table(&'static [Key]),
    /// A table of such values under any names.
    Named(&'static ValueKind),
    /// The first of these kinds that fits.
    AnyOf(&'static [ValueKind]),
    /// The name of a policy, or a table of its options.
    Policy,
    /// The name of an order or of a policy, or a table of the policy's options.
    Order,
    /// A JSON Schema: a table, or the text of one.
    Schema,
    /// A table of lines by participant, besides these keys.
    Cast(&'static [Key]),
    /// Any value, checked by its reader.
    Free,
}

/// One key of a table.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Name in the file.
    pub name: &'static str,
    pub kind: ValueKind,
    /// True if the table must have it.
    pub needed: bool,
    /// A valid value, as TOML.
    pub example: &'static str,
    /// One sentence for the schema, help and messages.
    pub meaning: &'static str,
    /// True if the command `change` accepts it.
    pub changeable: bool,
    /// Policies that read it.
    pub readers: Readers,
}

/// Policies that read a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// All of them.
    All,
    /// Policies of free discussions.
    Discussions,
    /// Policies with its name in their traits.
    Named,
}

/// Defines the keys of a table: each with the kind of its value, an example and its meaning, as [`key`] or [`needed`].
///
/// With a type, the table is also read into a struct with a field for each key that has one. A value that does not fit
/// its type counts as missing: the check reports it.
#[macro_export]
macro_rules! keys {
    ($(#[$doc:meta])* $vis:vis static $table:ident as $raw:ident;
     $($name:ident $(: $type:ty)? = $key:expr;)*) => {
        $(#[$doc])*
        $vis static $table: &[$crate::scenario::Key] =
            &[$($key.called(stringify!($name))),*];

        $(#[$doc])*
        #[derive(Clone, Debug, Default, serde::Deserialize)]
        #[serde(default)]
        pub struct $raw {
            $($(#[serde(deserialize_with = "crate::scenario::lenient")] pub $name: $type,)?)*
        }
    };
    ($(#[$doc:meta])* $vis:vis static $table:ident; $($name:ident = $key:expr;)*) => {
        $(#[$doc])*
        $vis static $table: &[$crate::scenario::Key] =
            &[$($key.called(stringify!($name))),*];
    };
}
pub use keys;

/// Returns an optional key; [`keys`] names it.
pub const fn key(kind: ValueKind, example: &'static str, meaning: &'static str) -> Key {
    Key {
        name: "",
        kind,
        needed: false,
        example,
        meaning,
        changeable: false,
        readers: Readers::All,
    }
}

/// Returns a required key; [`keys`] names it.
pub const fn needed(kind: ValueKind, example: &'static str, meaning: &'static str) -> Key {
    Key { name: "", kind, needed: true, example, meaning, changeable: false, readers: Readers::All }
}

impl Key {
    /// Returns the key, accepted by the command `change`.
    pub const fn changeable(mut self) -> Key {
        self.changeable = true;
        self
    }

    /// Returns the key, read by some policies alone.
    pub const fn read_by(mut self, readers: Readers) -> Key {
        self.readers = readers;
        self
    }

    /// Returns the key with a name, which may be an identifier with `r#`.
    pub const fn called(self, name: &'static str) -> Key {
        let name = match name.as_bytes() {
            [b'r', b'#', ..] => name.split_at(2).1,
            _ => name,
        };
        Key { name, ..self }
    }
}

/// Maximum milliseconds per rehearsed word.
const SLOWEST_PACE_MS: u64 = 10_000;

pub(super) const UTTERANCE_RANGE: ValueKind = ValueKind::Count { least: 1, most: 100_000 };

pub(super) const ROUND_RANGE: ValueKind = ValueKind::Count { least: 1, most: 10_000 };

/// Milliseconds per rehearsed word.
pub const PACE_RANGE: ValueKind = ValueKind::Count { least: 0, most: SLOWEST_PACE_MS };

pub(super) const NAMES: ValueKind = ValueKind::List(&ValueKind::Line);

pub(super) const ONE_OR_MORE_NAMES: ValueKind = ValueKind::AnyOf(&[ValueKind::Line, NAMES]);

/// Values of `sees`.
pub(super) const SEES: ValueKind = ValueKind::AnyOf(&[SEES_WORD, NAMES]);

/// Values of `sees` that name no participants.
pub(super) const SEES_WORD: ValueKind = ValueKind::OneOf(&[
    "all",
    "question",
    "own",
    "last_round",
    "others_last",
    "opening",
    "neighbours",
    "answers",
    "summary",
]);

/// Another spelling of `utterances` in `[limits]`.
pub(in crate::scenario) const TURNS: &str = "turns";
pub(in crate::scenario) const UTTERANCES_KEY: &str = "utterances";

/// Returns the usual spelling of a key in a table.
pub(in crate::scenario) fn usual<'a>(table: Option<&str>, key: &'a str) -> &'a str {
    if table == Some("limits") && key == TURNS { UTTERANCES_KEY } else { key }
}

/// Maximum time of a call or a person, in seconds.
pub(in crate::scenario) const DAY_SECONDS: u64 = 86_400;

pub(super) const SECONDS_RANGE: ValueKind = ValueKind::Count { least: 1, most: DAY_SECONDS };

pub(super) const TOKEN_RANGE: ValueKind = ValueKind::Count { least: 1, most: 1_000_000_000_000 };

pub(super) const USD: ValueKind = ValueKind::Number { least: 0.000_001, most: 1_000_000.0 };

/// Range of a turn's target length in words.
const WORDS_RANGE: ValueKind = ValueKind::Count { least: 1, most: 5_000 };

/// Value of `words` for turns that alternate between short and long.
pub const VARIED: &str = "varied";

/// Target length (min, max).
pub(super) const WORDS: ValueKind = ValueKind::List(&WORDS_RANGE);

impl ValueKind {
    /// Returns a description of valid values, to follow "takes".
    pub fn says(&self) -> String {
        match self {
            ValueKind::Text
            | ValueKind::Template
            | ValueKind::Prompt
            | ValueKind::TemplateOf(_) => "text".into(),
            ValueKind::Line => "text on one line".into(),
            ValueKind::Condition(_) => "a condition in quotes".into(),
            ValueKind::Id => "lower-case letters, digits, `-` and `_`".into(),
            ValueKind::Model => "a model: \"provider:name\", or a word such as \"claude\"".into(),
            ValueKind::Duration => {
                format!("1 to {DAY_SECONDS} seconds, as a number or as text like \"30s\"")
            }
            ValueKind::True => "true".into(),
            ValueKind::Flag => "true or false".into(),
            ValueKind::Count { least, most } => format!("a whole number from {least} to {most}"),
            ValueKind::Number { least, most } => format!("a number from {least} to {most}"),
            ValueKind::OneOf(words) => {
                let quoted: Vec<String> = words.iter().map(|w| format!("{w:?}")).collect();
                quoted.join(" or ")
            }
            ValueKind::List(_) => "a list".into(),
            ValueKind::Empty => "[]".into(),
            ValueKind::Table(_) | ValueKind::Cast(_) | ValueKind::Named(_) => "a table".into(),
            ValueKind::AnyOf(kinds) => {
                let all: Vec<String> = kinds.iter().map(ValueKind::says).collect();
                all.join(" or ")
            }
            ValueKind::Policy => "the name of a policy, or a table".into(),
            ValueKind::Order => "the name of an order, or a table".into(),
            ValueKind::Schema => "a JSON Schema, as a table or as text".into(),
            ValueKind::Free => "any value".into(),
        }
    }
}
