//! What a participant is shown.
