//! Sub-commands.
