//! Tables of the architecture tests. Change them only on purpose, with the reason in the commit message.

/// An API that only some modules may use.
pub struct Restriction {
    /// Text of the rule in failure messages.
    pub rule: &'static str,
    /// Restricted paths, matched from any segment on: `env::var` also matches `std::env::var`.
    pub names: &'static [&'static str],
    /// Restricted text.
    pub texts: &'static [&'static str],
    /// Restricted string literals.
    pub literals: &'static [&'static str],
    /// The rooms, or files by their path below `src`, where it belongs.
    pub places: &'static [&'static str],
    /// Exceptions: (part of a path, allowed module).
    pub but: &'static [(&'static str, &'static str)],
    /// Suggested fix.
    pub fix: &'static str,
}

/// All restrictions.
pub const RESTRICTIONS: &[Restriction] = &[
    Restriction {
        rule: "only `settings` reads environment and home",
        names: &[
            "std::env",
            "env::var",
            "env::var_os",
            "env::vars",
            "env::home_dir",
            "directories::ProjectDirs",
            "directories::BaseDirs",
            "directories::UserDirs",
        ],
        texts: &[],
        literals: &[],
        places: &["settings"],
        but: &[("env::args", "main.rs"), ("env::args", "cli")],
        fix: "let `settings` read it once and hand the value down",
    },
    Restriction {
        rule: "only `spawn` starts processes",
        names: &["process::Command", "Command::new", "process_wrap"],
        texts: &[],
        literals: &[],
        places: &["spawn"],
        but: &[],
        fix: "ask `spawn` to start it",
    },
    Restriction {
        rule: "only `net` opens sockets",
        names: &["TcpStream", "TcpListener", "UdpSocket", "UnixStream", "UnixListener", "reqwest"],
        texts: &[],
        literals: &[],
        places: &["net"],
        but: &[],
        fix: "ask `net` for the connection",
    },
    Restriction {
        rule: "only `clock` reads time",
        names: &["SystemTime", "Instant", "Timestamp::now", "Zoned::now"],
        texts: &[],
        literals: &[],
        places: &["clock"],
        but: &[],
        fix: "take the time as a value, or a `Clock`",
    },
    Restriction {
        rule: "only the rooms listed for it write files",
        names: &[
            "fs::rename",
            "fs::hard_link",
            "fs::create_dir",
            "fs::create_dir_all",
            "fs::remove_file",
            "fs::remove_dir",
            "fs::remove_dir_all",
            "fs::set_permissions",
            "tempfile::NamedTempFile",
            "tempfile::TempDir",
            "tempfile::Builder",
            "tempfile::tempfile",
            "tempfile::tempdir",
        ],
        texts: &[],
        literals: &[],
        places: &[
            "session",
            "catalogue",
            "settings",
            "scenario",
            "export",
            "cli",
            "testing",
            "tool",
            "batch",
            "own_file",
            // sockets that dead processes left
            "live",
            // files of a call, which are removed with it
            "voice/program/mod.rs",
        ],
        but: &[],
        fix: "hand the content to a room that writes such files",
    },
    Restriction {
        rule: "only the places listed for it open files",
        names: &[
            "File::open",
            "File::create",
            "File::create_new",
            "File::options",
            "OpenOptions",
            "fs::read",
            "fs::read_to_string",
            "fs::write",
            "fs::copy",
        ],
        texts: &[".append(true)"],
        literals: &[],
        places: &[
            "own_file",
            "session",
            "untrusted",
            // open pipes as well
            "cli/inputs.rs",
            // reports of the system about processes
            "cli/play/signals.rs",
            "spawn/descent.rs",
            "spawn/tree.rs",
            // to be moved to `own_file` and `untrusted`
            "testing",
            "cli/commands/test/new.rs",
            "cli/trust/pins.rs",
            "cli/agreements/store.rs",
        ],
        but: &[],
        fix: "read by `untrusted`, create and extend by `own_file`",
    },
    Restriction {
        rule: "only `text` makes text of the bytes of files and programs",
        names: &["String::from_utf8", "String::from_utf8_lossy"],
        texts: &[],
        literals: &[],
        places: &[
            "text",
            // UTF-8 by definition: protocols, logs, output of this program itself
            "rpc",
            "session",
            "voice",
            "expr",
            "ui",
            "tool/http.rs",
            "spawn/background.rs",
            "cli/document.rs",
            "cli/commands/acp/transport.rs",
            // the end of standard error, cut anywhere
            "spawn/mod.rs",
        ],
        but: &[],
        fix: "decode by `text::decode`, or read by `untrusted::read_text`",
    },
    Restriction {
        rule: "only `main` ends the process, and `cli` at a second signal",
        names: &["process::exit", "process::abort"],
        texts: &[],
        literals: &[],
        places: &["main.rs"],
        but: &[("process::exit", "cli")],
        fix: "return an error or an exit code, so that everything is closed and restored on the way",
    },
    Restriction {
        rule: "screens, pages and batches know the engine by its inputs and its forecast alone",
        names: &["crate::engine"],
        texts: &[],
        literals: &[],
        places: &["engine", "live", "host", "testing", "cli", "lib.rs"],
        but: &[
            ("engine::next_speakers", "serve"),
            ("engine::next_speakers", "ui"),
            ("engine::Input", "ui"),
        ],
        fix: "hand the value in as plain data of `model` or `state`",
    },
    Restriction {
        rule: "only `host` runs the engine",
        names: &["engine::Engine"],
        texts: &[],
        literals: &[],
        places: &["host"],
        but: &[],
        fix: "let `host::assemble` make it, and hold the `RunningConversation`",
    },
    Restriction {
        rule: "only `policy` and `state/policies` know policies by their names",
        names: &[],
        texts: &[],
        literals: &["round_robin", "weighted", "talkative", "moderated", "simultaneous", "depends"],
        places: &[
            "policy",
            "state/policies/mod.rs",
            "state/policies/depends.rs",
            // the default policy, and examples in texts
            "scenario/policy.rs",
            "scenario/keys.rs",
            "scenario/check.rs",
        ],
        but: &[],
        fix: "ask for a trait of the policy, or for the state of the thread",
    },
];

/// Folders and files of doors: exports, pages and the protocols of clients.
pub const DOORS: &[&str] = &[
    "export/",
    "serve/",
    "cli/commands/acp/",
    "cli/commands/mcp/",
    "cli/commands/export.rs",
    "cli/exporting.rs",
];

/// The rule for doors.
pub const WAY_OUT: Restriction = Restriction {
    rule: "doors read a conversation as their readers see it",
    names: &[
        "session::load",
        "session::read",
        "session::read_bytes",
        "session::fold",
        "session::Log",
        "session::Records",
        "session_file::fold",
        "State::fold",
        "state::Live",
    ],
    texts: &[],
    literals: &[],
    places: &[
        "export/visible.rs",
        // the final state of events that a caller passes
        "export/telling.rs",
        // the events of a running conversation, as rows for each right
        "serve/transcript.rs",
        // the client is the operator
        "cli/commands/acp/updates.rs",
    ],
    but: &[],
    fix: "take an `export::Seen`",
};

/// Allowed top-level entries of the repository, besides dot-files and files ignored by git.
pub const TOP_LEVEL: &[&str] =
    &["Cargo.toml", "Cargo.lock", "src", "themes", "tests", "assets", "README.md"];
