//! The few signs that the program draws itself, each one cell wide, with a plain twin for terminals that lack them.

/// A set of signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glyphs {
    /// Before whoever speaks, and before the row of the keyboard.
    pub speaking: &'static str,
    /// The floor does not move.
    pub paused: &'static str,
    /// A limit holds, or it failed.
    pub stopped: &'static str,
    /// It is over.
    pub done: &'static str,
    /// Somebody is waited for.
    pub waiting: &'static str,
    /// Before every row of a message.
    pub gutter: &'static str,
    /// Before the gutter of the message that keys act on.
    pub mark: &'static str,
    /// Before a note of the program's own.
    pub note: &'static str,
    /// A horizontal line.
    pub rule: &'static str,
    /// A vertical line.
    pub wall: &'static str,
    /// Where a vertical line hangs from a horizontal one.
    pub tee_down: &'static str,
    /// Where a vertical line stands on a horizontal one.
    pub tee_up: &'static str,
    /// The corners of a box, from the upper left as one reads.
    pub corners: [&'static str; 4],
    /// The corners of a card, from the upper left as one reads.
    pub card_corners: [&'static str; 4],
    /// The upper and lower edge of a card, and the line above what is being written.
    pub card_rule: &'static str,
    /// The sides of a card.
    pub card_wall: &'static str,
    /// A bar that compares, and a stretch of time in which somebody spoke.
    pub bar: &'static str,
    /// Shades from nothing to full.
    pub shades: [&'static str; 5],
    /// Before what the person writes.
    pub prompt: &'static str,
    /// Between two facts on a row.
    pub dot: &'static str,
    /// Stands for something that is not shown.
    pub hidden: &'static str,
    /// What is left out.
    pub ellipsis: &'static str,
    /// A column of a chart, from the lowest to the full one.
    pub levels: &'static [&'static str],
    /// Whether curves are drawn, in the dots of braille.
    pub curves: bool,
    /// The head of an arrow to the right.
    pub arrow: &'static str,
    /// Lines that meet in a cell, by the ways that lead out of it: up is 1, down 2, left 4, right 8.
    pub joints: [&'static str; 16],
    /// The filled part of a bar.
    pub full: &'static str,
    /// The rest of a bar.
    pub empty: &'static str,
    /// The time of a recording that is played.
    pub played: &'static str,
    /// Where the recording stands.
    pub playhead: &'static str,
}

impl Glyphs {
    /// Returns the line of a cell, by the ways that lead out of it.
    pub fn joint(&self, ways: u8) -> &'static str {
        self.joints.get(usize::from(ways)).copied().unwrap_or(" ")
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
    tee_down: "┬",
    tee_up: "┴",
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
    arrow: "▶",
    joints: [" ", "│", "│", "│", "─", "┘", "┐", "┤", "─", "└", "┌", "├", "─", "┴", "┬", "┼"],
    full: "█",
    empty: "░",
    played: "━",
    playhead: "●",
};

/// Characters that every terminal and font has.
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
    tee_down: "+",
    tee_up: "+",
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
    arrow: ">",
    joints: [" ", "|", "|", "|", "-", "+", "+", "+", "-", "+", "+", "+", "-", "+", "+", "+"],
    full: "#",
    empty: ".",
    played: "=",
    playhead: "O",
};
