//! `help`: explains topics beyond the options of a single command.

use crate::batch::dictionary;
use crate::cli::error::{Exit, Failure};
use crate::cli::output;
use crate::expr;
use crate::model::facts;
use clap::{Args, Command};
use std::fmt::Write;

/// Help page: its name, and its Markdown text, which starts with a heading.
type Page = (&'static str, &'static str);

/// All help pages, in list order.
const PAGES: &[Page] = &[
    ("steering", include_str!("../../../assets/help/steering.md")),
    ("scenarios", include_str!("../../../assets/help/scenarios.md")),
    ("models", include_str!("../../../assets/help/models.md")),
    ("tools", include_str!("../../../assets/help/tools.md")),
    ("scripts", include_str!("../../../assets/help/scripts.md")),
    ("agents", include_str!("../../../assets/help/agents.md")),
    ("http", include_str!("../../../assets/help/http.md")),
    #[cfg(feature = "mcp")]
    ("mcp", include_str!("../../../assets/help/mcp.md")),
    #[cfg(feature = "acp")]
    ("acp", include_str!("../../../assets/help/acp.md")),
    ("settings", include_str!("../../../assets/help/settings.md")),
    ("sessions", include_str!("../../../assets/help/sessions.md")),
    ("attach", include_str!("../../../assets/help/attach.md")),
    #[cfg(feature = "serve")]
    ("serve", include_str!("../../../assets/help/serve.md")),
    ("testing", include_str!("../../../assets/help/testing.md")),
    ("expressions", include_str!("../../../assets/help/expressions.md")),
    ("test-files", include_str!("../../../assets/help/test-files.md")),
    ("experiments", include_str!("../../../assets/help/experiments.md")),
    ("results", include_str!("../../../assets/help/results.md")),
    ("security", include_str!("../../../assets/help/security.md")),
    ("reliability", include_str!("../../../assets/help/reliability.md")),
    ("performance", include_str!("../../../assets/help/performance.md")),
    ("exit-codes", include_str!("../../../assets/help/exit-codes.md")),
];

/// Instructions for a coding agent, in the format of Agent Skills: front matter and Markdown.
const SKILL: &str = include_str!("../../../assets/skill.md");

/// Maximum characters per row in lists of filters, tests or methods.
const LIST_WIDTH: usize = 58;

/// Explain a topic or a command
#[derive(Debug, Args)]
pub struct HelpArgs {
    /// A topic or a command; without one, the list of topics
    #[arg(value_name = "TOPIC", conflicts_with = "skill")]
    topic: Option<String>,
    /// Print instructions that let a coding agent write scenarios and tests
    #[arg(long)]
    skill: bool,
}

/// Returns the names of all topics.
pub fn topics() -> Vec<String> {
    PAGES.iter().map(|(name, _)| (*name).to_owned()).collect()
}

impl HelpArgs {
    /// Prints a topic's page, a command's options, or the list of topics.
    pub fn run(self, mut program: Command) -> Result<Exit, Failure> {
        let Some(topic) = self.topic else {
            let text = if self.skill { SKILL.to_owned() } else { list() };
            return output::data(text.as_bytes());
        };
        let page = PAGES.iter().find(|(name, _)| *name == topic);
        let text = match (page, program.find_subcommand_mut(&topic)) {
            (Some((_, text)), _) => filled(text),
            (None, Some(command)) => {
                let name = format!("colloquium {topic}");
                command.clone().bin_name(name).render_long_help().to_string()
            }
            (None, None) => {
                let names = topics();
                return Err(Failure::usage(
                    format!("no help topic or command `{topic}`"),
                    format!(
                        "the topics are {}; `colloquium --help` lists all commands",
                        names.join(", ")
                    ),
                ));
            }
        };
        output::data(text.as_bytes())
    }
}

/// Fills in the lists of names known to the expression checker.
fn filled(page: &str) -> String {
    let list = |names: &[&str]| {
        let mut lines = vec![String::new()];
        for name in names {
            match lines.last_mut() {
                Some(line) if line.is_empty() => line.push_str(name),
                Some(line) if line.len() + name.len() < LIST_WIDTH => {
                    line.push(' ');
                    line.push_str(name);
                }
                Some(_) | None => lines.push((*name).to_owned()),
            }
        }
        lines.join(&format!("\n{:20}", ""))
    };
    page.replace("{names}\n", &facts::help_rows())
        .replace("{columns}\n", &dictionary())
        .replace("{filters}", &list(expr::FILTERS))
        .replace("{tests}", &list(expr::TESTS))
        .replace("{methods}", &list(expr::METHODS))
}

fn list() -> String {
    let mut list = "Topics, for `colloquium help TOPIC`:\n\n".to_owned();
    for (name, text) in PAGES {
        let heading = text.lines().next().unwrap_or_default().trim_start_matches("# ");
        // writing to a `String` cannot fail
        let _ = writeln!(list, "  {name:11} {heading}");
    }
    list + "\n`colloquium --help` lists the commands, `colloquium help COMMAND` the options of one.\n\
        `colloquium help --skill` prints instructions for a coding agent, as a SKILL.md.\n"
}
