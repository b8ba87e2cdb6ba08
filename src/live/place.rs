//! Paths of the sockets: one per running conversation, in a folder of the user alone.

use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Maximum characters of the session's id in the name of its socket: the system limits the length of the whole path.
const ID_MAX: usize = 32;

/// Returns the path of the socket of the session at `log`, which must exist.
///
/// Its name has the id for people, and a digest of the whole path: two data folders may have sessions of the same id.
pub fn socket(folder: &Path, log: &Path) -> std::io::Result<PathBuf> {
    let log = log.canonicalize()?;
    let id = log.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let plain = id.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-');
    let id: String = plain.take(ID_MAX).collect();
    let digest = Sha256::digest(log.as_os_str().as_encoded_bytes());
    let digest: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    Ok(folder.join(format!("{id}.{digest}.sock")))
}
