//! Who speaks next.
