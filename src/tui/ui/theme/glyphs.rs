//! Symbols drawn by the program, each one cell wide, in Unicode and ASCII.

/// A set of symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glyphs {
    /// Prefix of the current speaker, and of the focused row.
    pub speaking: &'static str,
    /// The conversation is paused.
    pub paused: &'static str,
    /// A limit was reached, or a failure.
    pub stopped: &'static str,
    /// The conversation has ended.
    pub done: &'static str,
    /// The conversation waits for somebody.
    pub waiting: &'static str,
    /// Prefix of every row of a message.
    pub gutter: &'static str,
    /// Prefix of the selected message's gutter.
    pub mark: &'static str,
    /// Prefix of a note of the program.
    pub note: &'static str,
    /// Horizontal line.
    pub rule: &'static str,
    /// Vertical line.
    pub wall: &'static str,
    /// Corners of a box: upper left, upper right, lower left, lower right.
    pub corners: [&'static str; 4],
    /// Corners of a card, in the same order.
    pub card_corners: [&'static str; 4],
    /// Horizontal edges of a card, and the line above the composer.
    pub card_rule: &'static str,
    /// Vertical edges of a card.
    pub card_wall: &'static str,
    /// Bar of a comparison, and of a turn in a lane.
    pub bar: &'static str,
    /// Shades from empty to full.
    pub shades: [&'static str; 5],
    /// Prefix of the composer.
    pub prompt: &'static str,
    /// Separator between two facts in a row.
    pub dot: &'static str,
    /// Placeholder for hidden text.
    pub hidden: &'static str,
    /// Mark of omitted text.
    pub ellipsis: &'static str,
    /// Column of a chart, from the lowest to the full one.
    pub levels: &'static [&'static str],
    /// True if curves are drawn, in Braille dots.
    pub curves: bool,
    /// Line of a participant's position.
    pub track: &'static str,
    /// First position of a participant.
    pub start: &'static str,
    /// Mark of a moment below a turn.
    pub moment: &'static str,
    /// Sign between an old and a new position.
    pub becomes: &'static str,
    /// Head of an arrow to the right.
    pub arrow: &'static str,
    /// Line junctions, indexed by their directions as bits: up 1, down 2, left 4, right 8.
    pub joints: [&'static str; 16],
    /// Filled part of a bar.
    pub full: &'static str,
    /// Empty part of a bar.
    pub empty: &'static str,
    /// Prefixes of a task in a list: open, done.
    pub tasks: [&'static str; 2],
    /// Played part of a timeline.
    pub played: &'static str,
    /// Playhead of a recording.
    pub playhead: &'static str,
}

impl Glyphs {
    /// Returns the sign of an arrow key, except in ASCII; other keys are unchanged.
    pub fn key<'a>(&self, key: &'a str) -> &'a str {
        match key {
            "left" if self.curves => "←",
            "right" if self.curves => "→",
            "up" if self.curves => "↑",
            "down" if self.curves => "↓",
            key => key,
        }
    }

    /// Returns the sign of a move: to another place, or of the words alone.
    pub fn move_sign(&self, is_place: bool) -> &'static str {
        match is_place {
            true => self.moment,
            false if self.curves => "◇",
            false => "+",
        }
    }

    /// Returns the junction for a set of directions.
    pub fn joint(&self, ways: u8) -> &'static str {
        self.joints.get(usize::from(ways)).copied().unwrap_or(" ")
    }
}

impl Default for &Glyphs {
    fn default() -> Self {
        &UNICODE
    }
}

/// Plain Unicode; no emoji, no icon font.
pub const UNICODE: Glyphs = Glyphs {
    speaking: "▸",
    paused: "‖",
    stopped: "■",
    done: "✓",
    waiting: "…",
    gutter: "▌",
    mark: "▐",
    note: "·",
    rule: "─",
    wall: "│",
    corners: ["┌", "┐", "└", "┘"],
    card_corners: ["┏", "┓", "┗", "┛"],
    card_rule: "━",
    card_wall: "┃",
    bar: "▆",
    shades: [" ", "░", "▒", "▓", "█"],
    prompt: "›",
    dot: "·",
    hidden: "•",
    ellipsis: "…",
    levels: &["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
    curves: true,
    track: "━",
    start: "●",
    moment: "◆",
    becomes: "→",
    arrow: "▶",
    joints: [" ", "│", "│", "│", "─", "┘", "┐", "┤", "─", "└", "┌", "├", "─", "┴", "┬", "┼"],
    full: "█",
    empty: "░",
    tasks: ["○", "✓"],
    played: "━",
    playhead: "●",
};

/// ASCII, for terminals and fonts without the others.
pub const ASCII: Glyphs = Glyphs {
    speaking: ">",
    paused: "\"",
    stopped: "#",
    done: "v",
    waiting: "*",
    gutter: "|",
    mark: ">",
    note: "-",
    rule: "-",
    wall: "|",
    corners: ["+", "+", "+", "+"],
    card_corners: ["+", "+", "+", "+"],
    card_rule: "=",
    card_wall: "|",
    bar: "#",
    shades: [" ", ".", ":", "+", "#"],
    prompt: ">",
    dot: "-",
    hidden: "*",
    ellipsis: "~",
    levels: &["_", "-", "=", "#"],
    curves: false,
    track: "-",
    start: "o",
    moment: "*",
    becomes: ">",
    arrow: ">",
    joints: [" ", "|", "|", "|", "-", "+", "+", "+", "-", "+", "+", "+", "-", "+", "+", "+"],
    full: "#",
    empty: ".",
    tasks: ["[ ]", "[x]"],
    played: "=",
    playhead: "O",
};
