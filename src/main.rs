//! The binary: hands everything to `cli`.

fn main() {}
