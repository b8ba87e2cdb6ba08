//! Pages of the analysis on the screen.

crate::words! {
    /// A page of the analysis on the screen.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum FigurePage {
        /// Speaking time and shares.
        #[default]
        Floor = "floor",
        /// Cost and speed.
        Cost = "cost",
        /// Each participant's position over time.
        Positions = "positions",
        /// Key events, in order.
        Events = "events",
    }
    /// Returns the page's heading.
    fn name()
}
