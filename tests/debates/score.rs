//! Scores of one debate.

use colloquium::text::{KnownTrigrams, Trigrams};
use serde_json::Value;
use std::collections::HashMap;

/// Minimum similarity at which a turn repeats another one.
const ALIKE: f64 = 0.8;
/// Minimum share of a turn copied from its prompt at which it is an echo.
const ECHO: f64 = 0.8;
/// Number of a participant's own last turns that a turn is compared with.
const OWN: usize = 3;
/// Minimum number of keywords in a turn on topic.
const ON_TOPIC: usize = 2;
/// Minimum number of words in a reason.
const REASON: usize = 3;
/// Text of the prompts of this and of earlier versions besides topic and messages. A turn copied from it is an echo.
const INSTRUCTIONS: &str = "What the others say stands in said, what the moderator says in moderator. Speak only as Ada, in plain prose, in at \
     most 40 words. Do not begin with your name and never write what others say. What do you answer? You have the floor. \
     What do you say? The talk begins. At the table with you: Bo, Cy. Say only what Ada says next: plain prose, at most 40 \
     words, no name in front, no tags, nobody else's lines. Bring one new thing: a reason, a case, a number, a question or \
     a concession. Before you disagree, put the other's point as they would. Ada, you begin. Say what you think and give \
     your strongest reason. Ada, it is your turn. The host may speak too. Words of the others come to you as";
/// Verbs that attribute what was said to another participant.
const ATTRIBUTES: [&str; 10] = [
    "says",
    "said",
    "argues",
    "argued",
    "thinks",
    "believes",
    "claims",
    "mentioned",
    "points",
    "is right",
];
/// Minimum length of a word by which an answer refers to its question, in characters.
const CONTENT_WORD: usize = 4;
/// Maximum number of words of a message of the host that counts as a wish.
const WISH: usize = 25;
/// Example reasons from the prompts.
const EXAMPLES: [&str; 3] = ["one sentence", "two sentences", "one line"];

/// One turn with text.
struct Said {
    who: String,
    words: String,
    finish: String,
    /// Position between the poles.
    at: Option<i64>,
    /// True if the turn was asked to doubt an agreement or its own proposal.
    doubts: bool,
}

/// One debate.
pub struct Session<'a> {
    topic: &'a str,
    about: &'a [&'a str],
    said: Vec<Said>,
    failed: usize,
    /// Reasons of choices, votes and judgements, each with its choice.
    chosen: Vec<(String, String)>,
    /// Names of the participants, in lower case, by id.
    names: HashMap<String, String>,
    /// Questions that were owed an answer: the seat that owes it, the question, and the number of turns before.
    owed: Vec<(String, String, usize)>,
    /// True if the conversation has a result.
    has_result: bool,
    /// Texts of the host's commands, by key.
    commands: HashMap<String, String>,
    /// Messages of the host to all, with the number of turns before.
    host: Vec<(String, usize)>,
    /// Participants with a side, and whether it is that of the first pole.
    sides: HashMap<String, bool>,
    /// Tokens of the first prompt.
    first_prompt: Option<u64>,
}

impl<'a> Session<'a> {
    /// Parses the lines of a session.
    pub fn read(text: &str, topic: &'a str, about: &'a [&'a str]) -> Session<'a> {
        let mut session = Session {
            topic,
            about,
            said: vec![],
            failed: 0,
            chosen: vec![],
            names: HashMap::new(),
            owed: vec![],
            has_result: false,
            commands: HashMap::new(),
            host: vec![],
            sides: HashMap::new(),
            first_prompt: None,
        };
        let events = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        for event in events {
            let data = &event["data"];
            match event["kind"].as_str() {
                Some("turn.ended" | "call.retried") => {}
                Some("result.given") => session.has_result = true,
                Some("batch.opened") => session.owe(data),
                Some("command.given") => session.note_command(data),
                Some("human.said") => {
                    let text = data["of"].as_str().and_then(|key| session.commands.get(key));
                    session.host.extend(text.map(|text| (text.clone(), session.said.len())));
                }
                Some("call.started") => {
                    let tokens = data["parameters"]["prompt_tokens"].as_u64();
                    session.first_prompt = session.first_prompt.or(tokens);
                }
                _ => session.name(data),
            }
            if event["kind"] != "turn.ended" && event["kind"] != "call.retried" {
                continue;
            }
            let text = |key: &str| data[key].as_str().unwrap_or_default().to_owned();
            // JSON that was cut at its limit had text
            let spent =
                || data["error"]["text"].as_str().is_some_and(|t| t.contains("before a word"));
            let class = &data["error"]["class"];
            let empty = class == "empty" || (class == "length" && spent());
            session.failed += usize::from(empty);
            if event["kind"] != "turn.ended" {
                continue;
            }
            let who = event["by"].as_str().unwrap_or_default().to_owned();
            if data["purpose"] != "speak" {
                let chosen = &data["structured"];
                let part = |key: &str| chosen[key].as_str().unwrap_or_default().to_owned();
                if data["outcome"] == "said" {
                    let what =
                        if chosen["choice"].is_string() { part("choice") } else { part("winner") };
                    session.chosen.push((what, part("why")));
                }
            } else if !text("text").trim().is_empty() {
                let stance = text("stance").replace('\u{2212}', "-");
                let at = stance.split('|').next().and_then(|at| at.trim().parse().ok());
                let act = data["act"]["kind"].as_str();
                let doubts = matches!(act, Some("doubt" | "premortem"));
                let (words, finish) = (text("text"), text("finish"));
                session.said.push(Said { who, words, finish, at, doubts });
            }
        }
        session
    }

    /// Notes the names of the participants.
    fn name(&mut self, opened: &Value) {
        for seat in opened["participants"].as_array().into_iter().flatten() {
            if let (Some(id), Some(name)) = (seat["id"].as_str(), seat["name"].as_str()) {
                self.names.insert(id.to_owned(), name.to_lowercase());
                let first = match seat["side"].as_str() {
                    Some("yes") => true,
                    Some("no") => false,
                    Some(_) | None => continue,
                };
                self.sides.insert(id.to_owned(), first);
            }
        }
    }

    /// Notes the questions that a batch owes an answer; a question counts once.
    fn owe(&mut self, batch: &Value) {
        for debt in batch["owes"].as_array().into_iter().flatten() {
            let text = |key: &str| debt[key].as_str().unwrap_or_default().to_owned();
            let (to, quote) = (text("to"), text("quote"));
            if !self.owed.iter().any(|(seat, question, _)| (seat, question) == (&to, &quote)) {
                self.owed.push((to, quote, self.said.len()));
            }
        }
    }

    /// Notes the text of a message to all.
    fn note_command(&mut self, given: &Value) {
        let to_all =
            matches!(given["do"].as_str(), Some("say" | "cut_in")) && given["to"].is_null();
        if let (true, Some(key), Some(text)) =
            (to_all, given["key"].as_str(), given["text"].as_str())
        {
            self.commands.insert(key.to_owned(), text.to_owned());
        }
    }

    /// Returns the number of messages of the host that the next turn took up with a word.
    fn taken_up(&self) -> usize {
        let taken = |(text, at): &&(String, usize)| {
            let asked = content_words(text);
            self.said.get(*at).is_some_and(|next| {
                content_words(&next.words).iter().any(|word| asked.contains(word))
            })
        };
        self.host.iter().filter(taken).count()
    }

    /// Returns the mean number of words of the turns before and after the first wish of the host.
    fn around_wish(&self) -> Option<(usize, usize)> {
        let is_wish = |text: &str| !text.contains('?') && text.split_whitespace().count() <= WISH;
        let (_, at) = self.host.iter().find(|(text, _)| is_wish(text))?;
        let (before, after) = self.said.split_at_checked(*at)?;
        let mean = |said: &[Said]| {
            let words: usize = said.iter().map(|s| s.words.split_whitespace().count()).sum();
            words.checked_div(said.len())
        };
        Some((mean(before)?, mean(after)?))
    }

    /// Returns the last position of each participant after a number of turns.
    fn positions(&self, turns: usize) -> HashMap<&str, i64> {
        let said = self.said.iter().take(turns);
        said.filter_map(|said| Some((&*said.who, said.at?))).collect()
    }

    /// Returns the largest distance between two positions after two thirds of the turns.
    fn apart(&self) -> Option<i64> {
        let at = self.positions(self.said.len() * 2 / 3);
        Some(at.values().max()? - at.values().min()?)
    }

    /// Returns the number of participants with a side and a position, and how many of them end on their side.
    fn on_their_side(&self) -> (usize, usize) {
        let at = self.positions(self.said.len());
        let sided: Vec<bool> = self
            .sides
            .iter()
            .filter_map(|(id, first)| Some(at.get(&**id)?.signum() == if *first { 1 } else { -1 }))
            .collect();
        (sided.len(), sided.iter().filter(|kept| **kept).count())
    }

    /// Returns the number of owed questions whose seat took them up in its next turn.
    fn answered(&self) -> usize {
        let answers = |(to, quote, from): &&(String, String, usize)| {
            let next = self.said.iter().skip(*from).find(|said| said.who == *to);
            let asked = content_words(quote);
            let named = |word: &String| self.names.values().any(|name| name == word);
            next.is_some_and(|said| {
                content_words(&said.words).iter().any(|word| asked.contains(word) && !named(word))
            })
        };
        self.owed.iter().filter(answers).count()
    }

    /// Returns true if a turn begins by repeating what another participant said.
    fn restates(&self, at: usize) -> bool {
        let here = &self.said[at];
        let first =
            here.words.split(['.', '!', '?', '\n']).next().unwrap_or_default().to_lowercase();
        let mut others = self.names.iter().filter(|(id, _)| **id != here.who);
        let attributed = ATTRIBUTES.iter().any(|verb| first.contains(verb));
        let names = others.any(|(_, name)| first.contains(name.as_str()));
        let copies = || {
            let Some(last) = at.checked_sub(1).and_then(|n| self.said.get(n)) else { return false };
            let mut shown = KnownTrigrams::default();
            shown.add(&Trigrams::new(&last.words));
            1.0 - shown.novelty(&Trigrams::new(&first)) >= ECHO
        };
        at > 0 && (names && attributed || copies())
    }

    /// Returns true if a turn was copied from its speaker's own earlier turns.
    fn echoes_itself(&self, at: usize) -> bool {
        let here = &self.said[at];
        let mut own = KnownTrigrams::default();
        for said in self.said[..at].iter().filter(|said| said.who == here.who) {
            own.add(&Trigrams::new(&said.words));
        }
        1.0 - own.novelty(&Trigrams::new(&here.words)) >= ECHO
    }

    fn is_echo(&self, at: usize) -> bool {
        let words = Trigrams::new(&self.said[at].words);
        let mut shown = KnownTrigrams::default();
        shown.add(&Trigrams::new(INSTRUCTIONS));
        shown.add(&Trigrams::new(self.topic));
        if let Some(last) = at.checked_sub(1).and_then(|n| self.said.get(n)) {
            shown.add(&Trigrams::new(&last.words));
        }
        1.0 - shown.novelty(&words) >= ECHO
    }

    fn is_on_topic(&self, at: usize) -> bool {
        let lower = self.said[at].words.to_lowercase();
        let mut used: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
        used.sort_unstable();
        used.dedup();
        used.iter().filter(|word| self.about.contains(word)).count() >= ON_TOPIC
    }

    fn repeats_another(&self, at: usize) -> bool {
        let here = &self.said[at];
        let words = Trigrams::new(&here.words);
        let before = || self.said[..at].iter().rev();
        let own = before().filter(|s| s.who == here.who).take(OWN);
        let mut met: HashMap<&str, ()> = HashMap::new();
        let others = before().filter(|s| s.who != here.who && met.insert(&s.who, ()).is_none());
        own.chain(others).any(|s| words.likeness(&Trigrams::new(&s.words)) >= ALIKE)
    }
}

/// Returns whether a text repeats a sentence of four words or more three times.
fn repeats_itself(words: &str) -> bool {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for sentence in words.split(['.', '!', '?', '\n']) {
        let plain: Vec<String> = sentence
            .split_whitespace()
            .map(|w| w.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase())
            .collect();
        if plain.len() >= 4 {
            *counts.entry(plain.join(" ")).or_default() += 1;
        }
    }
    counts.values().any(|n| *n >= 3)
}

/// Returns the words of a text that are not short, in lower case.
fn content_words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    words.filter(|word| word.chars().count() >= CONTENT_WORD).collect()
}

fn is_reason(chosen: &str, why: &str) -> bool {
    let why = why.trim().trim_end_matches('.').to_lowercase();
    why.split_whitespace().filter(|w| w.chars().any(char::is_alphabetic)).count() >= REASON
        && why != chosen.to_lowercase()
        && !EXAMPLES.contains(&why.as_str())
}

/// Scores of several debates.
#[derive(Default)]
pub struct Scores {
    debates: usize,
    turns: usize,
    words: usize,
    on_topic: usize,
    turns_on_topic: usize,
    echoes: usize,
    within: usize,
    between: usize,
    impersonation: usize,
    empty: usize,
    restating: usize,
    own_echoes: usize,
    owed: usize,
    answered: usize,
    last_words: usize,
    results: usize,
    choices: usize,
    reasons: usize,
    host: usize,
    taken_up: usize,
    /// Mean words of the turns before and after a wish, of each debate with one.
    wishes: Vec<(usize, usize)>,
    doubts: usize,
    /// Distance between the positions at two thirds, of each debate with positions.
    apart: Vec<i64>,
    sided: usize,
    kept: usize,
    first_prompts: Vec<u64>,
}

impl Scores {
    /// Header of the table.
    pub const HEAD: &'static str = "| scenario | turns | words a turn | first turn on topic | turns on topic | echoes | repeats within | \
         repeats between | in another's name | empty | restating | own echoes | questions answered | last words | results | \
         choices with a reason | host taken up | words before, after a wish | doubts | apart at two thirds | side kept | \
         first prompt |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|";

    /// Adds one debate.
    pub fn add(&mut self, session: &Session<'_>) {
        self.debates += 1;
        self.turns += session.said.len();
        self.words +=
            session.said.iter().map(|s| s.words.split_whitespace().count()).sum::<usize>();
        let all = || 0..session.said.len();
        let on_topic = |at: usize| session.is_on_topic(at) && !session.is_echo(at);
        self.on_topic += usize::from(!session.said.is_empty() && on_topic(0));
        self.turns_on_topic += all().filter(|at| on_topic(*at)).count();
        self.echoes += all().filter(|at| session.is_echo(*at)).count();
        self.within += session.said.iter().filter(|s| repeats_itself(&s.words)).count();
        self.between += all().filter(|at| session.repeats_another(*at)).count();
        self.impersonation += session.said.iter().filter(|s| s.finish == "impersonation").count();
        self.empty += session.failed;
        self.restating += all().filter(|at| session.restates(*at)).count();
        self.own_echoes += all().filter(|at| session.echoes_itself(*at)).count();
        self.owed += session.owed.len();
        self.answered += session.answered();
        let last = session.said.len().checked_sub(1);
        self.last_words += usize::from(last.is_some_and(|at| at > 0 && on_topic(at)));
        self.results += usize::from(session.has_result);
        self.choices += session.chosen.len();
        self.reasons += session.chosen.iter().filter(|(what, why)| is_reason(what, why)).count();
        self.host += session.host.len();
        self.taken_up += session.taken_up();
        self.wishes.extend(session.around_wish());
        self.doubts += session.said.iter().filter(|said| said.doubts).count();
        self.apart.extend(session.apart());
        let (sided, kept) = session.on_their_side();
        self.sided += sided;
        self.kept += kept;
        self.first_prompts.extend(session.first_prompt);
    }

    /// Adds the scores of other debates.
    pub fn merge(&mut self, other: &Scores) {
        self.debates += other.debates;
        self.turns += other.turns;
        self.words += other.words;
        self.on_topic += other.on_topic;
        self.turns_on_topic += other.turns_on_topic;
        self.echoes += other.echoes;
        self.within += other.within;
        self.between += other.between;
        self.impersonation += other.impersonation;
        self.empty += other.empty;
        self.restating += other.restating;
        self.own_echoes += other.own_echoes;
        self.owed += other.owed;
        self.answered += other.answered;
        self.last_words += other.last_words;
        self.results += other.results;
        self.choices += other.choices;
        self.reasons += other.reasons;
        self.host += other.host;
        self.taken_up += other.taken_up;
        self.wishes.extend(&other.wishes);
        self.doubts += other.doubts;
        self.apart.extend(&other.apart);
        self.sided += other.sided;
        self.kept += other.kept;
        self.first_prompts.extend(&other.first_prompts);
    }

    /// Returns the scores as a row of the table.
    pub fn row(&self, name: &str) -> String {
        let of = |part: usize, whole: usize| format!("{part} of {whole}");
        let wished = |pick: fn(&(usize, usize)) -> usize| {
            self.wishes.iter().map(pick).sum::<usize>().checked_div(self.wishes.len())
        };
        let wished = wished(|w| w.0).zip(wished(|w| w.1));
        let wished = wished.map_or("–".into(), |(before, after)| format!("{before}, {after}"));
        let apart: Vec<String> = self.apart.iter().map(i64::to_string).collect();
        let prompt = self.first_prompts.iter().sum::<u64>();
        let prompt = prompt.checked_div(self.first_prompts.len() as u64).unwrap_or(0);
        let reasons = if self.choices == 0 { "–".into() } else { of(self.reasons, self.choices) };
        format!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {reasons} | {} | {wished} | {} | {} | {} | {prompt} |",
            self.turns,
            self.words / self.turns.max(1),
            of(self.on_topic, self.debates),
            of(self.turns_on_topic, self.turns),
            self.echoes,
            self.within,
            self.between,
            self.impersonation,
            self.empty,
            self.restating,
            self.own_echoes,
            of(self.answered, self.owed),
            of(self.last_words, self.debates),
            of(self.results, self.debates),
            of(self.taken_up, self.host),
            self.doubts,
            apart.join(" "),
            of(self.kept, self.sided),
        )
    }
}
