//! Tables of the architecture tests. Change them only on purpose, with the reason in the commit message.

/// Macros of the root of `base`.
pub const MACROS: [&str; 2] = ["strings", "words"];

/// Allowed dependencies. A module may only use modules that are listed before it; `*` means all of them, and `a::b`
/// only that part of a module.
pub const MAY_USE: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("expr", &[]),
    ("model", &["text"]),
    // sleeps for calls and counts in `Ms`, so it uses the types of the model
    ("clock", &["model"]),
    // opens files that may be hostile, for all modules that read such files
    ("untrusted", &[]),
    // creates and opens the program's own files, for all modules that write
    ("own_file", &[]),
    ("scenario", &["model", "expr", "untrusted"]),
    ("settings", &["model", "untrusted", "own_file"]),
    // records and events in one kind of iterator
    ("logged", &["model"]),
    ("session", &["logged", "model", "text", "clock", "untrusted", "own_file"]),
    // texts of other programs in, events out
    ("import", &["model"]),
    // pure counting, for all modules that aggregate answers
    ("aggregate", &["model"]),
    // formulas only
    ("stats", &[]),
    // threads only
    ("workers", &[]),
    // lists only
    ("shared", &[]),
    // a phase may show the messages that are least alike
    ("state", &["logged", "model", "scenario", "aggregate", "shared", "text"]),
    // limits in money, for all that run conversations or calls
    ("ledger", &["model", "state"]),
    // a thousand sessions are looked through by several threads
    ("catalogue", &["model", "session", "state", "text", "workers", "untrusted", "own_file"]),
    ("policy", &["model", "scenario", "state", "expr", "text"]),
    ("reply", &["model", "scenario", "expr", "text"]),
    ("prompt", &["model", "scenario", "state", "policy", "reply", "expr", "text"]),
    // JSON-RPC by lines, for agents and for tool servers
    ("rpc", &[]),
    ("spawn", &["model"]),
    ("net", &["model"]),
    // its built-in ones open files that may be hostile
    ("tool", &["model", "scenario", "rpc", "spawn", "net", "text", "untrusted"]),
    ("voice", &["model", "scenario", "clock", "expr", "text", "rpc", "spawn", "net", "own_file"]),
    ("steer", &["model", "scenario", "settings", "state", "expr", "text"]),
    (
        "engine",
        &[
            "aggregate",
            "text",
            "clock",
            "expr",
            "model",
            "scenario",
            "session",
            "state",
            "policy",
            "prompt",
            "reply",
            "spawn",
            "net",
            "tool",
            "voice",
            "steer",
        ],
    ),
    // sockets of running conversations
    ("live", &["model", "text", "session", "state", "engine", "net", "spawn", "own_file"]),
    // conversations that run, here or in another process
    ("host", &["clock", "engine", "live", "model", "session", "state", "text", "tool", "voice"]),
    ("analysis", &["logged", "model", "shared", "state", "stats", "text"]),
    ("export", &["logged", "model", "state", "analysis", "session", "text"]),
    (
        // pages show the forecast of the engine, as the screen does
        "serve",
        &[
            "model",
            "text",
            "clock",
            "session",
            "state",
            "net",
            "steer::line",
            "steer::slash",
            "live::client",
            "live::protocol",
            "analysis",
            "export",
            "engine::next_speakers",
        ],
    ),
    (
        // a transcript that must not change has the format of an export
        "testing",
        &[
            "ledger",
            "export",
            "engine",
            "host",
            "text",
            "clock",
            "expr",
            "model",
            "scenario",
            "session",
            "state",
            "policy",
            "prompt",
            "reply",
            "spawn",
            "net",
            "tool",
            "voice",
            "steer",
            "stats",
            "workers",
            "untrusted",
            "own_file",
        ],
    ),
    (
        // does not run conversations itself; its callers do
        "batch",
        &[
            // choices of items, as templates list them
            "expr",
            "model",
            "scenario",
            "state",
            // the style of pages
            "export::PAGE_CSS",
            "analysis",
            "reply",
            "text",
            "stats",
            "workers",
            "untrusted",
            "own_file",
        ],
    ),
    (
        "ui",
        &[
            "model",
            "scenario",
            "steer::line",
            "steer::slash",
            "state",
            "expr",
            "policy",
            "prompt",
            "analysis",
            "export",
            "catalogue",
            "settings",
            "clock",
            "shared",
            "text",
            "session::tail",
            "session::replay",
            // the forecast of the next speakers is the engine's own decision
            "engine::next_speakers",
            // commands go straight to it
            "engine::Input",
        ],
    ),
    ("cli", &["*"]),
];

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
        rule: "only `main` ends the process, and `cli` at a second signal",
        names: &["process::exit", "process::abort"],
        texts: &[],
        literals: &[],
        places: &["main.rs"],
        but: &[("process::exit", "cli")],
        fix: "return an error or an exit code, so that everything is closed and restored on the way",
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
        rule: "nothing panics on purpose outside tests",
        names: &[],
        texts: &[".unwrap()", "panic!", "todo!", "unimplemented!"],
        literals: &[],
        places: &[],
        but: &[],
        fix: "return an error, or say with `expect` why it cannot fail",
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

/// Allowed top-level entries of the repository, besides dot-files and files ignored by git.
pub const TOP_LEVEL: &[&str] =
    &["Cargo.toml", "Cargo.lock", "src", "themes", "tests", "assets", "README.md"];

/// Packages of which two versions in one program conflict.
pub const LOCKED_ONCE: &[&str] = &["ratatui", "crossterm", "reqwest", "hyper", "tokio"];

/// Forbidden packages: a C library that is slow to build, and packages that need OpenSSL.
pub const NEVER_LOCKED: &[&str] = &["aws-lc-sys", "openssl-sys", "native-tls"];
