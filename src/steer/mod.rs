//! Commands from files and stdin.
