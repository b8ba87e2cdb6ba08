//! Children have none of our environment, but where `cargo llvm-cov` measures, they say what ran.

use std::ffi::OsString;

/// Returns the variable that names the file in which a measured program notes what ran, where there is one.
pub fn measured() -> impl Iterator<Item = (&'static str, OsString)> {
    let name = "LLVM_PROFILE_FILE";
    std::env::var_os(name).map(|file| (name, file)).into_iter()
}
