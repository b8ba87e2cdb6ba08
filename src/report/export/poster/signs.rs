//! Signs of a poster, by what the reader can show.

/// Colour of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PosterInk {
    /// Secondary text.
    #[default]
    Muted,
    /// Text.
    Plain,
    /// A participant's, by the index of its seat.
    Seat(usize),
}

#[derive(Clone, Copy, Debug)]
pub struct PosterSigns {
    pub(super) line: &'static str,
    pub(super) riser: &'static str,
    pub(super) down: &'static str,
    pub(super) up: &'static str,
    pub(super) start: &'static str,
    pub(super) place: &'static str,
    pub(super) claim: &'static str,
    pub(super) lost: &'static str,
    /// First, inner and last row of the names at one place, and a row between them.
    pub(super) bracket: [&'static str; 4],
    pub(super) between: &'static str,
    pub(super) ellipsis: &'static str,
    pub(super) becomes: &'static str,
}

/// PosterSigns of terminals with Unicode.
pub const UNICODE: PosterSigns = PosterSigns {
    line: "━",
    riser: "┃",
    down: "┓",
    up: "┛",
    start: "●",
    place: "◆",
    claim: "◇",
    lost: "×",
    bracket: ["╮", "┤", "│", "╯"],
    between: " · ",
    ellipsis: "…",
    becomes: "→",
};

/// PosterSigns of terminals without Unicode.
pub const ASCII: PosterSigns = PosterSigns {
    line: "-",
    riser: "|",
    down: "+",
    up: "+",
    start: "o",
    place: "*",
    claim: "+",
    lost: "x",
    bracket: ["\\", "|", "|", "/"],
    between: " - ",
    ellipsis: "~",
    becomes: "->",
};

/// Size of a cell, in units.
pub(super) const CELL: (usize, usize) = (10, 20);
/// Colour of the ground.
pub(super) const BACKGROUND: [u8; 3] = [0x15, 0x15, 0x1b];
/// Colour of secondary text.
const MUTED: [u8; 3] = [0x9a, 0x97, 0x9f];
/// Colour of text.
const PLAIN: [u8; 3] = [0xe6, 0xe3, 0xdd];
/// Colours of participants.
pub(super) const SEATS: [[u8; 3]; 8] = [
    [0xf4, 0xb7, 0x4d],
    [0xc0, 0x88, 0xf8],
    [0x94, 0xfe, 0xe8],
    [0xfd, 0x74, 0x62],
    [0xd1, 0xba, 0xe6],
    [0xe8, 0xfb, 0x5c],
    [0x44, 0xd5, 0xa5],
    [0x6a, 0xa9, 0xb5],
];

/// Returns the rectangles of a line in its cell, in units: x, y, width and height; empty for other signs.
pub(super) fn strokes(sign: &str) -> &'static [[usize; 4]] {
    match sign {
        "━" => &[[0, 9, 10, 2]],
        "┃" | "│" => &[[4, 0, 2, 20]],
        "┓" | "╮" => &[[0, 9, 6, 2], [4, 9, 2, 11]],
        "┛" | "╯" => &[[0, 9, 6, 2], [4, 0, 2, 11]],
        "┤" => &[[0, 9, 6, 2], [4, 0, 2, 20]],
        _ => &[],
    }
}

pub(super) fn colour(ink: PosterInk) -> [u8; 3] {
    match ink {
        PosterInk::Muted => MUTED,
        PosterInk::Plain => PLAIN,
        PosterInk::Seat(place) => SEATS[place % SEATS.len()],
    }
}
