//! The programs that speak in print mode: their calls, their streams, and the cures of a missing login.

use super::stream::{FigurePlaces, LineRule, Take};

pub use crate::model::PROGRAM as PREFIX;
/// The part of the prefix that takes the place of a provider.
pub const PROVIDER: &str = "program";

/// A program that speaks for a seat, without tools and with the person's login.
pub struct Program {
    pub name: &'static str,
    /// Display name.
    pub label: &'static str,
    /// Version that the call was tried with.
    pub tried: &'static str,
    package: &'static str,
    /// Command of the program's own login.
    pub login: &'static str,
    /// Arguments of the command that reports the login; empty without such a command.
    pub status: &'static [&'static str],
    /// Arguments of a call, with a blank between them; `{system}` and `{settings}` are files, `{none}` is empty.
    pub(super) arguments: &'static str,
    /// Option of the model.
    pub(super) model: &'static str,
    /// Variables of a call, with the same placeholders.
    pub(super) variables: &'static [(&'static str, &'static str)],
    /// Content of the file `{settings}`; empty if it needs none.
    pub(super) settings: &'static str,
    /// Meaning of the lines of its stream.
    pub(super) rules: &'static [LineRule],
    /// Parts of messages about a missing login.
    pub(super) logged_out: &'static [&'static str],
    /// Variables of the person that the program gets: keys in place of a login, addresses, its folder.
    pub takes: &'static [&'static str],
}

/// The known programs.
pub const PROGRAMS: &[Program] = &[
    Program {
        name: "claude",
        label: "Claude Code",
        tried: "2.1.197",
        package: "@anthropic-ai/claude-code",
        login: "claude auth login",
        status: &["auth", "status"],
        // the login may be in the settings: hooks and instructions there are turned off
        arguments: "-p --output-format stream-json --include-partial-messages --verbose --tools {none} \
                    --strict-mcp-config --setting-sources user \
                    --settings {\"disableAllHooks\":true,\"claudeMdExcludes\":[\"**\"]} \
                    --disable-slash-commands --no-session-persistence --system-prompt-file {system}",
        model: "--model",
        // without it, each turn has a second call
        variables: &[("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")],
        settings: "",
        rules: &[
            LineRule {
                when: &[("/type", "stream_event"), ("/event/delta/type", "text_delta")],
                take: Take::Text("/event/delta/text"),
            },
            LineRule {
                when: &[("/type", "stream_event"), ("/event/delta/type", "thinking_delta")],
                take: Take::Thought("/event/delta/thinking"),
            },
            LineRule {
                when: &[("/type", "result"), ("/is_error", "true")],
                take: Take::Fault("/result"),
            },
            LineRule {
                when: &[("/type", "result")],
                take: Take::End(FigurePlaces {
                    input: &[
                        "/usage/input_tokens",
                        "/usage/cache_read_input_tokens",
                        "/usage/cache_creation_input_tokens",
                    ],
                    output: "/usage/output_tokens",
                    cached: "/usage/cache_read_input_tokens",
                    cost: "/total_cost_usd",
                    models: "/modelUsage",
                }),
            },
        ],
        logged_out: &["Not logged in", "Invalid API key", "/login"],
        takes: &[
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "ANTHROPIC_BASE_URL",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CONFIG_DIR",
        ],
    },
    Program {
        name: "codex",
        label: "Codex",
        tried: "0.171.0",
        package: "@openai/codex",
        login: "codex login",
        status: &["login", "status"],
        // a feature that a version does not have is ignored here
        arguments: "exec --json --sandbox read-only --skip-git-repo-check --ephemeral --ignore-user-config \
                    --ignore-rules -c model_instructions_file=\"{system}\" -c web_search=\"disabled\" \
                    -c include_environment_context=false -c include_permissions_instructions=false \
                    -c include_apps_instructions=false -c skills.include_instructions=false \
                    -c project_doc_max_bytes=0 -c features={shell_tool=false,unified_exec=false,\
                    multi_agent=false,apps=false,plugins=false,view_image=false,image_generation=false,\
                    goals=false,hooks=false,skill_search=false,tool_suggest=false,sleep_tool=false,\
                    browser_use=false,computer_use=false,code_mode_host=false}",
        model: "-m",
        variables: &[],
        settings: "",
        rules: &[
            LineRule {
                when: &[("/type", "item.completed"), ("/item/type", "agent_message")],
                take: Take::Text("/item/text"),
            },
            LineRule {
                when: &[("/type", "item.completed"), ("/item/type", "reasoning")],
                take: Take::Thought("/item/text"),
            },
            LineRule { when: &[("/type", "turn.failed")], take: Take::Fault("/error/message") },
            LineRule {
                when: &[("/type", "turn.completed")],
                take: Take::End(FigurePlaces {
                    input: &["/usage/input_tokens"],
                    output: "/usage/output_tokens",
                    cached: "/usage/cached_input_tokens",
                    cost: "",
                    models: "",
                }),
            },
        ],
        logged_out: &[
            "401 Unauthorized",
            "Not logged in",
            "codex login",
            "Missing environment variable",
        ],
        takes: &["CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_HOME"],
    },
    Program {
        name: "gemini",
        label: "Gemini CLI",
        tried: "0.61.0",
        package: "@google/gemini-cli",
        login: "gemini",
        status: &[],
        arguments: "-o stream-json -e none --approval-mode plan --skip-trust --policy {settings}",
        model: "-m",
        variables: &[("GEMINI_SYSTEM_MD", "{system}")],
        settings: "[[rule]]\ntoolName = \"*\"\ndecision = \"deny\"\npriority = 999\n",
        rules: &[
            LineRule {
                when: &[("/type", "message"), ("/role", "assistant")],
                take: Take::Text("/content"),
            },
            LineRule {
                when: &[("/type", "result"), ("/status", "error")],
                take: Take::Fault("/error/message"),
            },
            LineRule {
                when: &[("/type", "result")],
                take: Take::End(FigurePlaces {
                    input: &["/stats/input_tokens"],
                    output: "/stats/output_tokens",
                    cached: "/stats/cached",
                    cost: "",
                    models: "/stats/models",
                }),
            },
        ],
        logged_out: &["set an Auth method", "auth method", "API key not valid"],
        takes: &[
            "GEMINI_API_KEY",
            "GOOGLE_API_KEY",
            "GOOGLE_GEMINI_BASE_URL",
            "GOOGLE_CLOUD_PROJECT",
        ],
    },
];

pub fn find(name: &str) -> Option<&'static Program> {
    PROGRAMS.iter().find(|program| program.name == name)
}

/// Returns the program of a model and the name of its model, if the model speaks by a program.
pub fn parts(model: &str) -> Option<(&str, Option<&str>)> {
    let name = model.strip_prefix(PREFIX)?;
    Some(name.split_once('/').map_or((name, None), |(name, model)| (name, Some(model))))
}

/// Returns the display name of a program.
pub fn label(name: &str) -> &str {
    find(name).map_or(name, |program| program.label)
}

/// Returns the command that installs a program.
pub fn install(name: &str) -> String {
    find(name).map_or_else(|| format!("install {name}"), |p| format!("npm i -g {}", p.package))
}

/// Returns the commands that cure a missing login.
pub fn cure(login: &str, name: &str, install: &str) -> String {
    format!("run `{login}`, or, if `{name}` is outdated, `{install}`")
}

/// Returns whether a text reports a missing login, in the words of any program.
pub fn is_logged_out(text: &str) -> bool {
    PROGRAMS.iter().flat_map(|program| program.logged_out).any(|part| text.contains(part))
}
