//! What the operator has agreed to, by content: files that are neither bundled nor in the user's own folder run no
//! command and change no endpoint before that.
//!
//! Agreements are kept on the user's side, as digests in one file of the state folder; one changed byte is another
//! content. Nothing in a project, a scenario or a session can agree to itself.

use crate::cli::args::play::Play;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::config::{Paths, make_private};
use crate::text;
use sha2::{Digest, Sha256};
use std::fs::{self, OpenOptions};
use std::io::{self, Write, stderr, stdin};
use std::path::PathBuf;

/// The file of agreements, in the state folder: a digest and a name a line.
const FILE: &str = "trust";

/// Something that would act, and has to be agreed to first.
pub struct Untrusted {
    /// What it is, for people.
    pub name: String,
    /// The digest of its content.
    pub digest: String,
    /// What it would do, a line each.
    pub would: Vec<String>,
}

impl Untrusted {
    /// Refuses it, unless the operator has agreed to this content, says `--trust`, or agrees now; nobody can be asked
    /// where there is no screen.
    pub fn admit(&self, play: &Play, context: &Context) -> Result<(), Failure> {
        if play.trust || is_agreed(&context.paths, &self.digest) {
            return Ok(());
        }
        let would: Vec<String> = self.would.iter().map(|line| format!("\n  {line}")).collect();
        let message = format!("{} is not trusted, and it would{}", self.name, would.concat());
        if play.headless {
            return Err(Failure::new(Exit::Invalid, message)
                .hint("if you know what that does and want it done, add --trust"));
        }
        output::print(&text::block(&message));
        if !asked("Agree to this content, now and later? [y/N] ") {
            return Err(Failure::new(Exit::Invalid, "not agreed to, so nothing was started"));
        }
        agree(&context.paths, &self.digest, &self.name)
    }
}

/// Returns the digest of a content of several parts.
pub fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn file(paths: &Paths) -> PathBuf {
    paths.state.join(FILE)
}

/// Returns whether the operator has agreed to a content.
pub fn is_agreed(paths: &Paths, digest: &str) -> bool {
    // a file that is not there, or cannot be read, agrees to nothing
    let agreed = fs::read_to_string(file(paths)).unwrap_or_default();
    agreed.lines().any(|line| line.split(' ').next() == Some(digest))
}

/// Keeps that the operator has agreed to a content.
pub fn agree(paths: &Paths, digest: &str, name: &str) -> Result<(), Failure> {
    make_private(&paths.state)?;
    let path = file(paths);
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let line = format!("{digest} {}\n", text::line(name));
    let kept = options.open(&path).and_then(|mut file| file.write_all(line.as_bytes()));
    kept.map_err(|e| {
        let path = path.display();
        Failure::new(Exit::Session, format!("cannot keep the agreement in {path}: {e}"))
    })
}

/// Asks a question on the terminal; only a clear yes is one.
fn asked(question: &str) -> bool {
    let answer = || {
        let mut err = stderr().lock();
        err.write_all(question.as_bytes())?;
        err.flush()?;
        let mut answer = String::new();
        stdin().read_line(&mut answer)?;
        io::Result::Ok(answer)
    };
    matches!(answer().unwrap_or_default().trim().to_lowercase().as_str(), "y" | "yes")
}
