//! Conditions and templates, guarded.
