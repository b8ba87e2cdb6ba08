//! Untrusted text.
