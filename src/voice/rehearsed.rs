//! Rehearsed lines.
