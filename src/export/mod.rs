//! One format a file.
