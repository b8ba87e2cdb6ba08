//! The only starter of processes.
