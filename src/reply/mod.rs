//! What came back.
