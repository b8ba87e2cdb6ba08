//! Signs of a poster, by what the reader can show.

/// PosterSigns of a poster.
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
    /// First, inner and last row of those who stand at one place, and a row between them.
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
