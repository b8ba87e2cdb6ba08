//! A child process as a voice.
