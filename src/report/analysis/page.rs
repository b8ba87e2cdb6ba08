//! Pages of the analysis on the screen.

/// A page of the analysis on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FigurePage {
    /// Speaking time and shares.
    #[default]
    Floor,
    /// Cost and speed.
    Cost,
    /// Each participant's position over time.
    Positions,
    /// Key events, in order.
    Events,
}

impl FigurePage {
    /// Every page, in the order of their numbers.
    pub const ALL: [FigurePage; 4] =
        [FigurePage::Floor, FigurePage::Cost, FigurePage::Positions, FigurePage::Events];

    /// Returns the page's heading.
    pub fn name(self) -> &'static str {
        match self {
            FigurePage::Floor => "floor",
            FigurePage::Cost => "cost",
            FigurePage::Positions => "positions",
            FigurePage::Events => "events",
        }
    }
}
