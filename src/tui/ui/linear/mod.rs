//! The conversation without a screen, for screen readers and limited terminals: text that only grows, numbered menus,
//! and a `/command` for every command.
//!
//! Each finished turn is one labelled block, and nothing is animated. A number always refers to the latest menu. This
//! module reads the same tail as the screen and sends the engine the same commands; a line that is neither a number nor
//! a command is a message to everybody.

mod card;
mod menu;
mod steps;

pub use crate::ui::linear::menu::numbered;

use crate::export::{Narrator, text, utterances};
use crate::model::{Command, Key, Kind, Ms, ReceiptIs, Seq, SteerLine, StopReason};
use crate::session::tail::Item;
use crate::state::RunState;
use crate::state::leave::asked_in;
use crate::steer::line::{EntryPoint, Intent, Manner, Typing, read_line};
use crate::steer::slash::{self, TypedFault};
use crate::text::{label, plural};
use crate::ui::act::intents;
use crate::ui::act::leave::detach_fault;
use crate::ui::draw::floor::{Activity, words};
use crate::ui::linear::card::TextCard;
use crate::ui::linear::menu::{Answered, MenuEntry, Question};
use crate::ui::linear::steps::OpenSteps;
use crate::ui::view::card::{CardAnswer, answer, more_choice};
use crate::ui::view::extension::{more, raise, way_on};
use crate::ui::view::floor::{Status, near, used};
use crate::ui::view::moment::may_be_paid;
use crate::ui::view::outbox::{Outbox, WaitsFor};
use crate::ui::view::transcript::Transcript;

/// Effect of a line that was typed.
#[derive(Clone, Debug, PartialEq)]
pub enum AfterLine {
    /// Waits for the next line.
    Wait,
    /// Sends a command.
    Send(Key, Box<SteerLine>),
    /// Extends the finished conversation, starting with these commands.
    Extend(Vec<Command>),
    /// Leaves the conversation; the session is not changed.
    Leave,
    /// Leaves after the current turn; the conversation goes on in the background.
    Detach,
}

/// Effect of a choice that waits for the second Enter.
enum AfterAgain {
    Send(Command),
    /// Goes on after a limit or the end.
    More,
}

/// A conversation printed line by line.
#[derive(Default)]
pub struct Linear {
    transcript: Transcript,
    narrator: Narrator,
    outbox: Outbox,
    since: Seq,
    /// True if the conversation is saved to a file, so that it can be extended after its end.
    saved: bool,
    /// Reason why nobody could attach to the conversation in the background.
    stays: Option<String>,
    /// Command whose keys are being asked for.
    question: Option<Question>,
    /// Meaning of numbers: the latest menu.
    menu: Vec<MenuEntry>,
    /// Latest card, and whether numbers are its choices: no menu was printed since.
    card: Option<TextCard>,
    answers: bool,
    /// Effect of an empty line: the last line was a choice that asks once more.
    confirming: Option<AfterAgain>,
    /// Steps of a plan whose messages are printed in full.
    steps: OpenSteps,
    /// True if the next Ctrl-C leaves.
    leaving: bool,
}

impl Linear {
    /// Creates the state of a conversation that was opened, or reopened, at a position in the log. Earlier events are
    /// applied but not printed.
    pub fn new(since: Seq, saved: bool, stays: Option<String>) -> Linear {
        Linear {
            outbox: Outbox::new(since),
            since,
            saved,
            stays,
            menu: menu::short(),
            ..Linear::default()
        }
    }

    pub fn greeting(because: &str) -> String {
        format!(
            "Accessible mode ({because}): plain text, nothing is redrawn. Enter or ?: options. Anything you type is said \
             to everyone. /help: commands.\n\n"
        )
    }

    /// Describes the wait for space on the disk, or its end.
    pub fn disk(wait: Option<&str>) -> String {
        match wait {
            Some(wait) => note(&format!("{wait}; ctrl-c twice leaves")),
            None => note("the disk has space again"),
        }
    }

    /// Applies an item of the tail; returns the text to print.
    pub fn take(&mut self, item: &Item) -> String {
        self.transcript.take(item);
        let Item::Event(record) = item else { return String::new() };
        let event = &record.event;
        let told = self.narrator.narrate(self.transcript.state(), event);
        if event.seq < self.since {
            return String::new();
        }
        let mut out: String = match self.steps.folded(&self.transcript, event) {
            Some(line) => note(&line),
            None => told.iter().map(text::spell).collect(),
        };
        // a command that takes effect appears as an event; a refusal is reported by the narrator
        let waits = matches!(&event.kind, Kind::Receipt(r) if r.is == ReceiptIs::Queued);
        let paused = self.transcript.state().run == RunState::Paused;
        let resume = paused.then(|| "/resume".to_owned());
        let waits_for = WaitsFor { speaker: self.transcript.speaker(), resume };
        if let Some(told) = self.outbox.outcome(&event.kind, &waits_for)
            && waits
        {
            out += &note(&told);
        }
        let card = TextCard::new(&self.transcript, event.ms);
        let same = card.as_ref().zip(self.card.as_ref()).is_some_and(|(a, b)| a.is(b));
        let asked = asked_in(self.transcript.state(), &event.kind);
        if !same {
            // the card shows the whole call as well
            if card.is_some() && asked.len() == 1 {
                out.clear();
            }
            out += &card.as_ref().map(TextCard::describe).unwrap_or_default();
            self.answers = card.is_some();
            self.confirming = None;
            self.card = card;
        }
        for tool in asked {
            let tool = label(tool);
            out += &note(&format!(
                "to allow it, type /decide {tool} yes; to refuse it, /decide {tool} no"
            ));
        }
        let granted = matches!(&event.kind, Kind::FloorGranted(_));
        let votes = !self.transcript.human_choices().is_empty();
        if granted
            && !votes
            && let Some(who) = self.transcript.human_turn()
        {
            out += &note(&format!("your turn as {}: type your message, or /pass", self.name(&who)));
        }
        if matches!(event.kind, Kind::LimitReached(_)) {
            out += &note(&format!("/more runs {}, /leave quits", more(self.transcript.state())));
        }
        let finished = self.transcript.state().reopened_after.is_some();
        let opens = matches!(event.kind, Kind::Reopened(_)) && finished;
        if opens || self.goes_on() && matches!(event.kind, Kind::Ended(_)) {
            out += &self.ways_on();
        }
        out
    }

    /// Returns whether the conversation has ended and may be extended: not if the person ended it.
    pub fn goes_on(&self) -> bool {
        let ended = self.transcript.state().ended.as_ref();
        self.saved && ended.is_some_and(|ended| ended.reason != StopReason::Operator)
    }

    /// Handles Ctrl-C. It cancels the current question, otherwise the running reply; without either, the second one in
    /// a row leaves the conversation.
    pub fn interrupted(&mut self) -> (String, AfterLine) {
        if std::mem::take(&mut self.leaving) {
            return (String::new(), AfterLine::Leave);
        }
        if self.question.take().is_some() {
            return (note("question cancelled"), AfterLine::Wait);
        }
        if self.transcript.speaking().next().is_some() {
            return self.send(Command::PauseNow {});
        }
        self.leaving = true;
        (note("press ctrl-c again to quit (saved)"), AfterLine::Wait)
    }

    /// Handles a typed line; returns the text to print, and the effect.
    pub fn enter_line(&mut self, line: &str, now: Ms) -> (String, AfterLine) {
        self.leaving = false;
        let line = line.trim();
        if line == "/back" {
            self.question = None;
            return ("back\n\n".into(), AfterLine::Wait);
        }
        // a command in reply to a question runs as a command
        if let Some(question) = self.question.take()
            && !line.starts_with('/')
        {
            let step = question.answered(line, &self.transcript);
            return self.step(step);
        }
        match self.confirming.take() {
            Some(AfterAgain::Send(command)) if line.is_empty() => return self.send(command),
            Some(AfterAgain::More) if line.is_empty() => return self.words("/more", now),
            _ => {}
        }
        if self.answers
            && let Some(card) = &mut self.card
            && let CardAnswer::Choice(at) = answer(line, now.since(card.since), card.choices.len())
        {
            let choice = card.choices[at].clone();
            let Some(again) = choice.again else {
                card.since = now;
                return self.send(choice.command);
            };
            return self.confirm(&again, AfterAgain::Send(choice.command));
        }
        let is_card = self.answers && self.card.is_some();
        match line.parse::<usize>() {
            // no choice of the card, and the menu before it is out of sight
            Ok(_) if is_card => self.words(line, now),
            Ok(number) => match number.checked_sub(1).and_then(|at| self.menu.get(at)).copied() {
                Some(entry) => self.choose(entry, now),
                None => (format!("no option {number}. Enter lists options\n\n"), AfterLine::Wait),
            },
            Err(_) => self.words(line, now),
        }
    }

    fn words(&mut self, line: &str, now: Ms) -> (String, AfterLine) {
        let state = self.transcript.state();
        match line {
            "" if let Some(card) = &self.card => {
                self.answers = true;
                (card.describe(), AfterLine::Wait)
            }
            "" | "?" | "/menu" | "/help" => self.list(menu::short()),
            "/all" => self.list(menu::all()),
            "/status" => (self.status(now), AfterLine::Wait),
            "/more" if self.goes_on() => (String::new(), AfterLine::Extend(intents::again(state))),
            "/more" => match intents::more_of(state) {
                Some(command) => {
                    let raised = raise(state).map(|(_, to)| format!("limit is now {to}\n\n"));
                    let (said, after) = self.send(command);
                    (raised.unwrap_or_default() + &said, after)
                }
                None => ("nothing to extend: no limit reached\n\n".into(), AfterLine::Wait),
            },
            "/leave" | "/quit" => (String::new(), AfterLine::Leave),
            "/detach" => match detach_fault(state, self.stays.as_deref()) {
                None => {
                    let told = note("detaching after the current turn; ctrl-c leaves at once");
                    (told, AfterLine::Detach)
                }
                Some(fault) => (note(&format!("cannot detach: {fault}")), AfterLine::Wait),
            },
            command if let Some(which) = of_steps(command, "/open") => {
                self.fold_or_open(OpenSteps::open, which)
            }
            command if let Some(which) = of_steps(command, "/fold") => {
                self.fold_or_open(OpenSteps::fold, which)
            }
            words => match self.read(words) {
                Ok(command) => self.send(command),
                // a command without its arguments asks for them
                Err(why) => match slash::row(words) {
                    Some(row) if !words.contains(' ') && words != "/pass" => {
                        let step = Question::about(row).next(&self.transcript);
                        self.step(step)
                    }
                    _ if words.starts_with('/') => {
                        (format!("{why}; /all lists every command\n\n"), AfterLine::Wait)
                    }
                    _ => (format!("{why}\n\n"), AfterLine::Wait),
                },
            },
        }
    }

    fn read(&self, line: &str) -> Result<Command, TypedFault> {
        let state = self.transcript.state();
        let manner = self.transcript.writing_turn().map_or(Manner::Say, Manner::Speak);
        match read_line(line, &Typing::new(EntryPoint::TextMode, manner), state)? {
            Intent::Give(command) => Ok(command),
            Intent::Local => slash::read(line, state),
        }
    }

    fn fold_or_open(
        &mut self,
        change: fn(&mut OpenSteps, &Transcript, &str) -> Result<String, String>,
        which: &str,
    ) -> (String, AfterLine) {
        let told = change(&mut self.steps, &self.transcript, which);
        (told.unwrap_or_else(|why| note(&why)), AfterLine::Wait)
    }

    fn choose(&mut self, entry: MenuEntry, now: Ms) -> (String, AfterLine) {
        match entry {
            MenuEntry::Line(_, "/more") if may_be_paid(self.transcript.state()) => {
                let state = self.transcript.state();
                let more = more_choice(state, way_on(state));
                self.confirm(&more.again, AfterAgain::More)
            }
            MenuEntry::Line(_, line) => self.words(line, now),
            MenuEntry::PauseOrGoOn => self.send(intents::pause_or_go_on(self.transcript.state())),
            MenuEntry::Command(row) => {
                let step = Question::about(row).next(&self.transcript);
                self.step(step)
            }
        }
    }

    /// Announces a choice that the next empty line takes.
    fn confirm(&mut self, what: &str, then: AfterAgain) -> (String, AfterLine) {
        self.confirming = Some(then);
        (note(&format!("press enter again: {what}")), AfterLine::Wait)
    }

    fn step(&mut self, step: Answered) -> (String, AfterLine) {
        match step {
            Answered::Ask(words, question) => {
                self.question = Some(question);
                (words, AfterLine::Wait)
            }
            Answered::Line(line) => match self.read(&line) {
                Ok(command) => self.send(command),
                Err(why) => (format!("{why}; nothing was done\n\n"), AfterLine::Wait),
            },
        }
    }

    fn list(&mut self, entries: Vec<MenuEntry>) -> (String, AfterLine) {
        let titles: Vec<String> = entries.iter().map(MenuEntry::title).collect();
        let told = numbered("Type a number, a command, or a message to everyone.", &titles);
        self.menu = entries;
        self.answers = false;
        (told, AfterLine::Wait)
    }

    fn send(&mut self, command: Command) -> (String, AfterLine) {
        if self.goes_on() {
            return match intents::reopening(command) {
                Some(commands) => (String::new(), AfterLine::Extend(commands)),
                None => (self.ways_on(), AfterLine::Wait),
            };
        }
        if self.transcript.state().ended.is_some() {
            return (note("finished: no more commands"), AfterLine::Wait);
        }
        let (key, line) = self.outbox.command(command);
        (String::new(), AfterLine::Send(key, Box::new(line)))
    }

    /// Returns the status as one paragraph: the speaker, the next participant, the progress and the usage.
    fn status(&self, now: Ms) -> String {
        let state = self.transcript.state();
        let standing = Status::from_state(state);
        let Activity { what, then, names_status } = words(&self.transcript, standing, now);
        let turns = match state.limits.utterances {
            Some(most) => format!("{} of {}", state.utterances, plural(most, "turn")),
            None => utterances(state.utterances),
        };
        let used = used(&state.spent()).map_or(String::new(), |used| format!(", {used}"));
        let used = match near(state, now) {
            Some((percent, limit)) => format!("{used}; {percent} % of {limit} used"),
            None => used,
        };
        let then = if then.is_empty() { then } else { format!("; {then}") };
        let standing = standing.word().to_lowercase();
        let what = if names_status { what } else { format!("{standing}: {what}") };
        note(&format!("{what}{then}; {turns}{used}"))
    }

    /// Returns the options after the end of the conversation.
    fn ways_on(&self) -> String {
        let more = more(self.transcript.state());
        note(&format!("finished: /more runs {more}, /note annotates it, /leave quits"))
    }

    fn name(&self, id: &crate::model::SeatId) -> String {
        self.transcript.name(id)
    }
}

/// Returns the step that a command is about; empty for all steps.
fn of_steps<'a>(line: &'a str, command: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(command)?;
    (rest.is_empty() || rest.starts_with(' ')).then(|| rest.trim())
}

fn note(words: &str) -> String {
    format!("-- {words}\n\n")
}
