//! The options of everything that plays a conversation, and the checks that need no scenario.

use crate::cli::appearance::AppearanceSettings;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::models::providers::ModelOptions;
use crate::model::steering::duration_ms;
use crate::model::{Key, Limits, SteerLine, Usd, Wall};
use crate::session::Place;
use crate::{export, steer, untrusted};
use clap::{Args, ValueEnum};
use std::io::{self, Read, stdin};
use std::path::{Path, PathBuf};

/// The largest steer file or topic that is read, in bytes.
const INPUT_MAX_BYTES: u64 = 1 << 20;
/// What some editors write at the beginning of a text.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// What is printed on standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Plain text, one block for each finished utterance.
    #[default]
    Text,
    /// The session's lines, exactly as its file holds them.
    Jsonl,
    /// Markdown.
    Md,
}

impl Format {
    /// Returns how the format is spelled; none for the lines themselves.
    pub fn spelling(self) -> Option<export::Spelling> {
        match self {
            Format::Text => Some(export::text::spell),
            Format::Md => Some(export::md::spell),
            Format::Jsonl => None,
        }
    }
}

/// What `run`, `demo` and `resume` share.
#[derive(Debug, Default, Args)]
pub struct Play {
    /// Play without a screen: the talk on standard output, the rest on standard error
    #[arg(long)]
    pub headless: bool,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Steer by the lines of a file; `-` reads them from standard input as they come
    #[arg(long, value_name = "FILE")]
    pub steer: Option<String>,
    /// Let rehearsed voices take their natural time
    #[arg(long)]
    pub pace: bool,
    /// End after so many utterances
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_utterances: Option<u32>,
    /// End after so much running time, such as 90s or 5m; who speaks then has 10 s to finish
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub max_time: Option<u64>,
    /// End before models have read and written more tokens than this
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_tokens: Option<u64>,
    /// End before models have cost more dollars than this
    #[arg(long, value_name = "USD", value_parser = usd)]
    pub max_usd: Option<Usd>,
    /// Let the file run the commands it names, in this run alone
    #[arg(long)]
    pub trust: bool,
    /// Exit with 7 if an utterance was skipped after failures
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub models: ModelOptions,
}

/// Where what is played is kept.
#[derive(Debug, Default, Args)]
pub struct Keep {
    /// Keep no session
    #[arg(long, conflicts_with = "out_session")]
    pub no_save: bool,
    /// Keep the session in this file, which must not exist yet
    #[arg(long, value_name = "FILE")]
    pub out_session: Option<PathBuf>,
}

impl Keep {
    /// Returns where it lies; in the folder of sessions it is named after a moment and dice.
    pub fn place<'a>(&'a self, folder: &'a Path, (at, dice): (Wall, u64)) -> Place<'a> {
        match (&self.out_session, self.no_save) {
            (Some(path), _) => Place::File(path),
            (None, true) => Place::Nowhere,
            (None, false) => Place::Folder(folder, at, dice),
        }
    }
}

impl Play {
    /// Refuses a screen where there is no terminal for it; whoever wants text instead of a screen gets it.
    pub fn check_terminal(&mut self, command: &str, context: &Context) -> Result<(), Failure> {
        let text = context.text_mode().is_some();
        if text && !Context::at_terminal() && !self.headless {
            // append only and at a pace that can be followed
            (self.headless, self.pace) = (true, true);
        }
        if self.headless {
            return Ok(());
        }
        if text {
            return self.is_typed_at();
        }
        needs_terminal(&format!("{command} --headless"), context)?;
        // what is wrong with the settings is said before anything begins
        AppearanceSettings::of(context)?;
        self.is_typed_at()
    }

    /// Refuses steering lines from a standard input at which a person types.
    fn is_typed_at(&self) -> Result<(), Failure> {
        if self.steered_live() {
            let message =
                "on the screen standard input is the keyboard: --steer - needs --headless";
            return Err(Failure::usage(message, "put the lines into a file"));
        }
        Ok(())
    }

    /// Returns the limits that were asked for.
    pub fn limits(&self) -> Limits {
        Limits {
            utterances: self.max_utterances,
            seconds: self.max_time,
            tokens: self.max_tokens,
            usd: self.max_usd,
            ..Limits::default()
        }
    }

    /// Returns whether steering lines come from standard input.
    pub fn steered_live(&self) -> bool {
        self.steer.as_deref() == Some("-")
    }

    /// Reads the lines of the steer file, if there is one.
    pub fn steer_lines(&self) -> Result<Vec<(Key, SteerLine)>, Failure> {
        let Some(path) = self.steer.as_ref().filter(|p| *p != "-") else { return Ok(vec![]) };
        let text = read_file("the steer file", path)?;
        steer::read_file(&text).map_err(|bad| {
            let lines: Vec<String> = bad.iter().map(|b| format!("{path}, {b}")).collect();
            Failure::new(Exit::Invalid, lines.join("\n"))
                .hint("`colloquium schema steer` lists every verb and its keys")
        })
    }
}

/// Refuses a screen where there is no terminal for it, naming what to type instead.
pub fn needs_terminal(instead: &str, context: &Context) -> Result<(), Failure> {
    let instead = format!("use {instead}");
    if !Context::at_terminal() {
        return Err(Failure::usage("the screen needs a terminal, and here is none", instead));
    }
    if context.environment.term() == Some("dumb") {
        return Err(Failure::usage("this terminal cannot show a screen (TERM=dumb)", instead));
    }
    Ok(())
}

/// Refuses two inputs that would both read standard input.
pub fn one_reader<'a>(
    inputs: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
) -> Result<(), Failure> {
    let readers: Vec<&str> =
        inputs.into_iter().filter(|(_, value)| *value == Some("-")).map(|(name, _)| name).collect();
    match readers[..] {
        [a, b, ..] => Err(Failure::usage(
            format!("{a} and {b} cannot both read standard input"),
            "put one of them into a file",
        )),
        [_] | [] => Ok(()),
    }
}

/// Reads all of standard input as text.
pub fn read_stdin(what: &str) -> Result<String, Failure> {
    let bytes = read_capped(stdin().lock()).map_err(|e| {
        Failure::usage(format!("cannot read {what} from standard input: {e}"), "pipe text into it")
    })?;
    as_text(&format!("{what} from standard input"), bytes)
}

/// Reads a file that an option names, as text.
pub fn read_file(what: &str, path: &str) -> Result<String, Failure> {
    let bytes = untrusted::read(path.as_ref()).map_err(|e| {
        let fix = "name a regular file of at most 1 MiB; `-` reads standard input where an option takes it";
        Failure::usage(format!("cannot read {what} {path}: {e}"), fix)
    })?;
    as_text(&format!("{what} {path}"), bytes)
}

fn read_capped(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(INPUT_MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > INPUT_MAX_BYTES {
        return Err(io::Error::other(format!("more than {INPUT_MAX_BYTES} bytes")));
    }
    Ok(bytes)
}

fn as_text(what: &str, bytes: Vec<u8>) -> Result<String, Failure> {
    let begin = bytes.strip_prefix(BOM).map_or(0, |_| BOM.len());
    String::from_utf8(bytes).map(|text| text.get(begin..).unwrap_or_default().to_owned()).map_err(
        |e| {
            let text = &e.as_bytes()[..e.utf8_error().valid_up_to()];
            let line = text.iter().filter(|b| **b == b'\n').count() + 1;
            Failure::new(Exit::Invalid, format!("{what}, line {line}: not UTF-8"))
                .hint("save it as UTF-8")
        },
    )
}

fn usd(text: &str) -> Result<Usd, String> {
    let dollars = text.trim_start_matches('$').parse().unwrap_or(f64::NAN);
    let usd = Usd::try_from(dollars).ok().filter(|usd| *usd > Usd::default());
    usd.ok_or_else(|| "a sum of dollars, such as 0.50".into())
}

fn seconds(text: &str) -> Result<u64, String> {
    let seconds = duration_ms(text).map(|ms| ms / 1000).filter(|s| *s > 0);
    seconds.ok_or_else(|| "a time of at least a second, such as 90s or 5m".into())
}
