//! The pages on which the screen shows figures.

/// A page of figures on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FigurePage {
    /// Who had the floor, how long.
    #[default]
    Floor,
    /// What it cost, and how fast it came.
    Cost,
    /// Who stood where.
    Positions,
    /// What happened.
    Events,
}

impl FigurePage {
    /// Every page, in the order of their numbers.
    pub const ALL: [FigurePage; 4] =
        [FigurePage::Floor, FigurePage::Cost, FigurePage::Positions, FigurePage::Events];

    /// Returns the heading.
    pub fn name(self) -> &'static str {
        match self {
            FigurePage::Floor => "floor",
            FigurePage::Cost => "cost",
            FigurePage::Positions => "positions",
            FigurePage::Events => "events",
        }
    }
}
