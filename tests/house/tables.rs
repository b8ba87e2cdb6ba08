//! The tables of the house: changed only on purpose, each change with its reason in the commit.

/// Who may use whom. A room stands below all that it uses; `*` is everyone above in this list, and `a::b` only that
/// part of a room. Rooms that are not built yet have their row already.
pub const MAY_USE: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("expr", &[]),
    ("model", &["text"]),
    // sleeps for calls and counts in `Ms`, so it speaks the vocabulary
    ("clock", &["model"]),
    // opens files that may be hostile, for all who read such
    ("untrusted", &[]),
    // creates and opens the program's own files, for all rooms that write some
    ("own_file", &[]),
    ("scenario", &["model", "expr", "untrusted"]),
    ("config", &["model", "untrusted", "own_file"]),
    ("session", &["model", "text", "clock", "untrusted", "own_file"]),
    // pure counting, for all who make one answer of many
    ("aggregate", &["model"]),
    // formulas alone
    ("stats", &[]),
    // threads alone
    ("workers", &[]),
    // lists alone
    ("shared", &[]),
    // which words are least alike decides what a phase shows
    ("state", &["model", "scenario", "aggregate", "shared", "text"]),
    // a thousand sessions are looked through by several threads
    ("catalogue", &["model", "session", "state", "text", "workers", "untrusted", "own_file"]),
    ("policy", &["model", "scenario", "state", "expr", "text"]),
    ("prompt", &["model", "scenario", "state", "expr", "text"]),
    ("reply", &["model", "scenario", "expr", "text"]),
    // JSON-RPC by lines, for agents and for servers of tools
    ("rpc", &[]),
    ("spawn", &["model"]),
    // its server gives a request a time in which it has to come
    ("net", &["model", "clock"]),
    // its built-in ones open files that may be hostile
    ("tool", &["model", "scenario", "rpc", "spawn", "net", "text", "untrusted"]),
    ("voice", &["model", "scenario", "clock", "expr", "text", "rpc", "spawn", "net"]),
    ("steer", &["model", "state", "expr"]),
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
    ("analysis", &["model", "shared", "state", "stats", "text"]),
    ("export", &["model", "state", "analysis", "session", "text"]),
    (
        // a transcript that must stay as it is has the form of an export
        "testing",
        &[
            "export",
            "engine",
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
        // has no conversation itself: whoever runs one hands that in
        "batch",
        &[
            "model",
            "scenario",
            "state",
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
            "state",
            "expr",
            "prompt",
            "analysis",
            "export",
            "catalogue",
            "config",
            "clock",
            "shared",
            "text",
            "session::tail",
            "session::replay",
            // the forecast of the next speakers is the engine's own decision
            "engine::next_speakers",
        ],
    ),
    ("cli", &["*"]),
];

/// Something that may happen in some places only.
pub struct Deed {
    /// The rule, as a failure says it.
    pub rule: &'static str,
    /// Paths that do it, wherever they begin: `env` in `std::env` is found by `std::env`.
    pub names: &'static [&'static str],
    /// Bare text that does it.
    pub texts: &'static [&'static str],
    /// The rooms, or files by their path below `src`, where it belongs.
    pub places: &'static [&'static str],
    /// What else may do what: part of a path, and the place.
    pub but: &'static [(&'static str, &'static str)],
    /// What to do instead.
    pub way_out: &'static str,
}

/// What may happen where.
pub const DEEDS: &[Deed] = &[
    Deed {
        rule: "only `config` reads environment and home",
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
        places: &["config"],
        but: &[("env::args", "main.rs"), ("env::args", "cli")],
        way_out: "let `config` read it once and hand the value down",
    },
    Deed {
        rule: "only `spawn` starts processes",
        names: &["process::Command", "Command::new", "process_wrap"],
        texts: &[],
        places: &["spawn"],
        but: &[],
        way_out: "ask `spawn` to start it",
    },
    Deed {
        rule: "only `net` opens sockets",
        names: &["TcpStream", "TcpListener", "UdpSocket", "UnixStream", "UnixListener", "reqwest"],
        texts: &[],
        places: &["net"],
        but: &[],
        way_out: "ask `net` for the connection",
    },
    Deed {
        rule: "only `clock` reads time",
        names: &["SystemTime", "Instant", "Timestamp::now", "Zoned::now"],
        texts: &[],
        places: &["clock"],
        but: &[],
        way_out: "take the time as a value, or a `Clock`",
    },
    Deed {
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
        places: &[
            "session",
            "catalogue",
            "config",
            "scenario",
            "export",
            "cli",
            "testing",
            "tool",
            "batch",
            "own_file",
        ],
        but: &[],
        way_out: "hand the content to a room that writes such files",
    },
    Deed {
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
        places: &[
            "own_file",
            "session",
            "untrusted",
            // open pipes as well
            "cli/inputs.rs",
            // reports of the system about processes
            "cli/play/signals.rs",
            "spawn/tree.rs",
            // to be moved to `own_file` and `untrusted`
            "testing",
            "cli/commands/test/new.rs",
            "cli/trust/pins.rs",
            "cli/trust/store.rs",
        ],
        but: &[],
        way_out: "read by `untrusted`, create and extend by `own_file`",
    },
    Deed {
        rule: "only `main` ends the process, and `cli` at a second signal",
        names: &["process::exit", "process::abort"],
        texts: &[],
        places: &["main.rs"],
        but: &[("process::exit", "cli")],
        way_out: "return an error or an exit code, so that everything is closed and restored on the way",
    },
    Deed {
        rule: "nothing panics on purpose outside tests",
        names: &[],
        texts: &[".unwrap()", "panic!", "todo!", "unimplemented!"],
        places: &[],
        but: &[],
        way_out: "return an error, or say with `expect` why it cannot fail",
    },
];

/// What the top of the repository may hold besides dot-files and what git ignores.
pub const TOP_LEVEL: &[&str] =
    &["Cargo.toml", "Cargo.lock", "src", "themes", "tests", "assets", "README.md"];

/// Packages of which two versions in one program break it.
pub const LOCKED_ONCE: &[&str] = &["ratatui", "crossterm", "reqwest", "hyper", "tokio"];

/// Packages that must not come in: a C library that is slow to build, and what needs OpenSSL.
pub const NEVER_LOCKED: &[&str] = &["aws-lc-sys", "openssl-sys", "native-tls"];
