//! Child processes get an empty environment, except for the variable with which `cargo llvm-cov` measures them.

use std::ffi::OsString;

/// Returns the variable that names the coverage file for a measured program. Empty outside of a coverage run.
pub fn measured() -> impl Iterator<Item = (&'static str, OsString)> {
    let name = "LLVM_PROFILE_FILE";
    std::env::var_os(name).map(|file| (name, file)).into_iter()
}
