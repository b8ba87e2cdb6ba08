//! A reply under `consensus`: an answer, or a vote for a known answer.

use super::json::{JsonPlace, cut_value, found};
use super::letters::{Letters, asks, is_unspaced, sentences, shape, word, word_count};
use super::lines::{
    LabelLead, LineLabel, around, label, labels, own_text, unwrapped, without_quotations,
    without_tags,
};
use super::mention::{Candidates, Mention, agreed, behind_word, clauses, is_refusal};
use super::names::strings;
use super::read::{ReadBy, ReadReply, Unclear};
use super::words::words;
use crate::model::{ANSWERED, SeatId, Text, VOTED};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Maximum number of words of a reply that is nothing but a vote.
const SHORT_WORDS: usize = 25;
/// Minimum number of words of another answer without its label.
const ANSWER_WORDS: usize = 9;
/// Number of letters that label answers.
const LETTERS: usize = 26;
/// Question to a winner who votes instead of presenting the answer.
const PRESENT: &str =
    "The vote is over, and your answer won. Write that answer in full, without a vote.";
/// Keys of a vote in JSON.
const KEYS: [&str; 4] = ["vote", "choice", "winner", "best"];

/// The answers that can be voted for, and the voter.
#[derive(Clone, Copy, Default)]
pub(super) struct VoteReader<'a> {
    /// The answers, by label.
    pub(super) among: &'a [(Text, SeatId)],
    /// Display names of their authors.
    pub(super) names: Option<&'a BTreeMap<SeatId, Text>>,
    /// True if another answer may be given.
    pub(super) answers: bool,
    /// The seat that replies.
    pub(super) voter: Option<&'a SeatId>,
    /// The voter's answer so far.
    pub(super) before: Option<&'a str>,
}

/// Reads a reply as an answer or a vote.
///
/// # Errors
/// If it is neither clearly an answer nor clearly a vote.
pub(super) fn proposal(
    reader: &VoteReader<'_>,
    said: &str,
    data: &Value,
) -> Result<ReadReply, Unclear> {
    if let Some(read) = reader.in_json(said, data) {
        return read;
    }
    let said = &*unwrapped(said);
    let unfenced = fenced_first(said);
    let said = unfenced.as_deref().unwrap_or(said);
    let votes: Vec<_> = labels(said, &words().vote_label, LabelLead::Words).collect();
    let given = labels(said, &words().answer_label, LabelLead::Sentences).next();
    let is_before = |vote: &LineLabel<'_>| given.is_none_or(|answer| vote.line <= answer.line);
    // without a known answer, a long text has its own lines
    let may_vote = !reader.among.is_empty() || word_count(said) <= SHORT_WORDS;
    if may_vote && votes.first().is_some_and(|vote| !reader.answers || is_before(vote)) {
        return reader.labelled_votes(said, &votes);
    }
    if let Some(answer) = given {
        return reader.labelled_answer(said, answer);
    }
    if let Some((answer, why)) = reader.in_sentence(said) {
        return Ok(reader.vote(answer, &why, ReadBy::Name));
    }
    if reader.is_answer(said) {
        return answered(said, ReadBy::Plain);
    }
    Err(reader.unclear())
}

/// Reads the final answer of a winner among a number of answers.
///
/// # Errors
/// If it is a vote or a label alone.
pub(super) fn presented(answers: usize, said: &str) -> Result<ReadReply, Unclear> {
    let among = lettered(answers);
    let reader = VoteReader { among: &among, answers: true, ..VoteReader::default() };
    let short = word_count(said) <= SHORT_WORDS;
    match proposal(&reader, said, &Value::Null) {
        // a long answer may approve of another one
        Ok(read) if read.message.as_deref() == Some(VOTED) && !short && read.by == ReadBy::Name => {
            Ok(ReadReply::default())
        }
        Ok(ReadReply { text, message, .. }) if message.as_deref() == Some(ANSWERED) => {
            let text = text.filter(|text| text != said.trim());
            Ok(ReadReply { text, ..ReadReply::default() })
        }
        Err(_) if said.contains(char::is_alphanumeric) => Ok(ReadReply::default()),
        Ok(_) | Err(_) => {
            let why = "it is a vote and not the answer".to_owned();
            Err(Unclear { why, ask: Some(PRESENT.to_owned()), field: None })
        }
    }
}

/// Returns the letter that a reply chooses in a sentence, as in "Option B is correct."
pub(super) fn chosen_letter(said: &str) -> Option<String> {
    let among = lettered(LETTERS);
    let reader = VoteReader { among: &among, answers: true, ..VoteReader::default() };
    let (chosen, _) = reader.in_sentence(said)?;
    among.get(chosen).map(|(label, _)| tail(label).to_owned())
}

/// Returns the labels of a number of answers, without authors.
fn lettered(answers: usize) -> Vec<(Text, SeatId)> {
    let letters = ('A'..='Z').take(answers);
    letters.map(|c| (format!("Answer {c}").into(), SeatId("".into()))).collect()
}

/// Returns the vote in a fence of one line that begins a reply, and the text below it.
fn fenced_first(said: &str) -> Option<String> {
    let (_, body) = said.strip_prefix("```")?.split_once('\n')?;
    let (line, below) = body.split_once('\n')?;
    let below = below.strip_prefix("```")?;
    label(line, &words().vote_label, LabelLead::Word)?;
    Some(format!("{line}\n{}", below.trim_start()))
}

fn answered(text: &str, by: ReadBy) -> Result<ReadReply, Unclear> {
    let text = text.trim();
    if text.is_empty() {
        return Err("the answer is empty".into());
    }
    let read = ReadReply::typed(ANSWERED, text.to_owned(), json!({"proposal": text}));
    Ok(ReadReply { by, ..read })
}

impl VoteReader<'_> {
    fn vote(&self, answer: usize, why: &str, by: ReadBy) -> ReadReply {
        let Some((_, seat)) = self.among.get(answer) else { return ReadReply::default() };
        let why = why
            .trim()
            .trim_start_matches([':', '.', ',', '-', '–', '—', ')', ']', '*', '。', '，', '：'])
            .trim();
        let name = self.names.and_then(|names| names.get(seat)).unwrap_or(&seat.0);
        let text = if why.is_empty() {
            format!("Votes for {name}.")
        } else {
            format!("Votes for {name}: {why}")
        };
        let structured = json!({"vote": seat, "why": why});
        ReadReply { by, ..ReadReply::typed(VOTED, text, structured) }
    }

    /// Returns the question for the second try.
    fn unclear(&self) -> Unclear {
        let labels: Vec<&str> = self.among.iter().map(|(label, _)| &**label).collect();
        if labels.is_empty() {
            return "there is no answer to vote for yet; give one".into();
        }
        let labels = labels.join(", ");
        let (why, ask) = if self.answers {
            (
                format!("it is neither a vote for one of {labels} nor an answer"),
                format!(
                    "Is that a vote or an answer? Begin with \"VOTE:\" and one of {labels}, or with \"ANSWER:\" and your answer in full."
                ),
            )
        } else {
            (
                format!("it votes for none of: {labels}"),
                format!(
                    "Which answer is that a vote for? Begin with \"VOTE:\" and one of {labels}."
                ),
            )
        };
        Unclear { why, ask: Some(ask), field: None }
    }

    /// Returns the answer that a text consists of: a label, its letter, or the id of a seat that is no such letter.
    fn exactly(&self, text: &str) -> Option<usize> {
        let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
        let letters = Letters::new(bare);
        if let [only] = self.mentions(&letters, bare)[..]
            && only.start == 0
            && only.end == letters.len()
        {
            return Some(only.of);
        }
        let letter = word(bare);
        let by_letter = self.among.iter().position(|(label, _)| word(tail(label)) == letter);
        by_letter
            .or_else(|| self.among.iter().position(|(_, seat)| seat.0.eq_ignore_ascii_case(bare)))
    }

    fn in_json(&self, said: &str, data: &Value) -> Option<Result<ReadReply, Unclear>> {
        let read = found(said, JsonPlace::Line);
        let by = if read.loose { ReadBy::LooseJson } else { ReadBy::Json };
        let given = data.is_object().then(|| data.clone());
        let values = read.values.into_iter().find(Value::is_object);
        let object =
            given.or(values).or_else(|| cut_value(said, &KEYS).map(|v| json!({"vote": v})))?;
        let text = |key: &str| object.get(key).and_then(Value::as_str);
        let why = text("why").or_else(|| text("reason")).unwrap_or_default();
        let keyed = KEYS.iter().find_map(|key| object.get(*key)).filter(|value| !value.is_object());
        if let Some(value) = keyed {
            let answer = value.as_str().and_then(|name| self.exactly(name));
            return Some(answer.map(|n| self.vote(n, why, by)).ok_or_else(|| self.unclear()));
        }
        let mut all = vec![];
        strings(&object, 0, &mut all);
        let votes: Vec<usize> = all.into_iter().filter_map(|text| self.exactly(text)).collect();
        if !votes.is_empty() {
            return Some(
                agreed(votes).map(|n| self.vote(n, why, by)).ok_or_else(|| self.unclear()),
            );
        }
        let answer = text("answer")?;
        Some(if self.answers { answered(answer, by) } else { Err(self.unclear()) })
    }

    /// Reads the votes behind labels, which must agree; a question is none. Text in front of the line and behind the vote
    /// is its reason.
    fn labelled_votes(&self, said: &str, votes: &[LineLabel<'_>]) -> Result<ReadReply, Unclear> {
        let is_question = |text: &str| sentences(text).first().is_some_and(|first| asks(first));
        let mut stated = votes.iter().filter(|label| !is_question(label.rest));
        let first = stated.next().ok_or_else(|| self.unclear())?;
        let (before, below) = around(said, first.line);
        let (rest, below) = if first.rest.contains(char::is_alphanumeric) {
            (first.rest, below)
        } else {
            below.split_once('\n').unwrap_or((below, ""))
        };
        let settled = self.settled(rest);
        let rest = if self.begins(rest).is_some() { rest } else { &settled };
        let (answer, end) = self.begins(rest).ok_or_else(|| self.unclear())?;
        if stated.filter_map(|other| self.begins(other.rest)).any(|(other, _)| other != answer) {
            return Err(self.unclear());
        }
        let text = self.settled(below);
        // another vote on the line needs its label
        let line = self.settled(rest.get(end..).unwrap_or_default());
        let again = sentences(&line).into_iter();
        let again = again.filter(|s| behind_word(s, &words().vote_label).is_some());
        let corrected = again
            .chain(sentences(&text))
            .rev()
            .find_map(|s| Some((s, self.chosen(s, &words().vote_label)?)));
        let last = |text: &str| self.left(&Letters::new(text), text).pop().map(|m| m.of);
        if let Some((sentence, corrected)) = corrected.filter(|(s, _)| last(s) != Some(answer)) {
            return if last(sentence) == Some(corrected) && self.has(sentence, &words().now) {
                Ok(self.vote(corrected, below, ReadBy::Name))
            } else {
                Err(self.unclear())
            };
        }
        let rest = rest.get(end..).unwrap_or_default();
        let rest = rest.trim_matches(['*', '_', '`', '"', '”', ' ', ']', ')', '】']);
        let parts = [rest, before, below.trim()].into_iter().filter(|part| !part.is_empty());
        Ok(self.vote(answer, &parts.collect::<Vec<_>>().join("\n"), first.by()))
    }

    /// Returns the answer that the text behind a label votes for, and the end of its label.
    fn begins(&self, rest: &str) -> Option<(usize, usize)> {
        if let Some(behind) = self.behind_list(rest) {
            let (answer, end) = self.begins(behind)?;
            return Some((answer, rest.len() - behind.len() + end));
        }
        let letters = Letters::new(rest);
        if self.mentions(&letters, rest).is_empty() {
            return Some((self.exactly(rest)?, rest.len()));
        }
        let first = self.left(&letters, rest).into_iter().next()?;
        let (before, behind) = rest.split_at_checked(letters.byte(first.start))?;
        let parts = clauses(behind);
        let doubted = |part: &&str| self.doubts(part);
        let spoilt = self.denies(before)
            || doubted(&before)
            || parts.first().is_some_and(doubted)
            || parts.get(1).is_some_and(|part| is_refusal(part))
            || self.goes_on(&letters, rest, first.end);
        (!spoilt).then(|| (first.of, letters.byte(first.end)))
    }

    /// Returns the choice behind a list of answers, which chooses nothing: "(A, B, C) -> C" or "[A | B] B".
    fn behind_list<'t>(&self, text: &'t str) -> Option<&'t str> {
        let arrow = ["->", "→", "=>"].iter().find_map(|arrow| text.split_once(arrow));
        let bracket = || text.strip_prefix(['(', '['])?.split_once([')', ']']);
        let (list, behind) = arrow.or_else(bracket)?;
        let parts = list.split([',', '|', '/', '、']).map(|part| self.exactly(part));
        let listed = parts.collect::<Option<Vec<usize>>>()?;
        let letters = Letters::new(behind);
        let begin = letters.skip(0, |c| !c.is_alphanumeric());
        let chosen = self.mention_at(&letters, behind, begin);
        (agreed(listed).is_none() && chosen.is_some()).then_some(behind)
    }

    /// Returns whether another choice follows a label directly, as in "A or B".
    fn goes_on(&self, letters: &Letters, rest: &str, end: usize) -> bool {
        let next = letters.skip(end, |c| !c.is_alphanumeric());
        let is_listed = (end..next).any(|at| matches!(letters.char(at), Some('/' | '|')));
        let joint = letters.one_of(next, &words().or);
        is_listed
            || joint
                .is_some_and(|end| self.is_in(rest.get(letters.byte(end)..).unwrap_or_default()))
    }

    /// Reads the text behind an answer's label; a label of a known answer alone, or a short vote for it, is a vote.
    fn labelled_answer(&self, said: &str, label: LineLabel<'_>) -> Result<ReadReply, Unclear> {
        let text = format!("{}\n{}", label.rest, around(said, label.line).1);
        let comment = word_count(&text) <= SHORT_WORDS;
        let letters = Letters::new(label.rest);
        // a letter, a number or an id may be any other thing
        let named = self.mentions(&letters, label.rest);
        let is_label = |of: usize| {
            let label = self.among.get(of).map(|(label, _)| word(label));
            let spelled = |m: &Mention| label.as_ref().and_then(|l| letters.word(m.start, l));
            named.iter().any(|m| m.of == of && spelled(m) == Some(m.end))
        };
        let voted = self.exactly(label.rest).filter(|of| comment && is_label(*of));
        let alone = || self.alone(text.trim()).map(|(of, _)| of);
        let approved = || {
            let (of, why) = self.in_sentence(label.rest)?;
            (comment && is_label(of)).then_some((of, why))
        };
        let voted = voted.or_else(alone).map(|of| (of, String::new()));
        match voted.or_else(approved) {
            Some((of, why)) => Ok(self.vote(of, &why, ReadBy::Label)),
            None if self.answers => answered(&text, label.by()),
            None => Err(self.unclear()),
        }
    }

    /// Returns the vote of a sentence, and its reason.
    fn in_sentence(&self, said: &str) -> Option<(usize, String)> {
        let own = own_text(said);
        let text = self.settled(&without_tags(&without_quotations(&own)));
        if self.is_undecided(&text) {
            return None;
        }
        if let Some(answer) = self.exactly(text.trim())
            && !asks(&text)
        {
            return Some((answer, String::new()));
        }
        let sentences: Vec<&str> = sentences(&text).into_iter().filter(|s| !asks(s)).collect();
        let short = word_count(&text) <= SHORT_WORDS;
        let approve = &words().approve;
        if let Some(answer) = sentences.last().and_then(|s| self.conclusion(s, approve, short)) {
            return Some((answer, self.reason(&own, answer)));
        }
        let near = |n: usize| short || n == 0 || n + 1 == sentences.len();
        let read = sentences.iter().enumerate().filter(|(n, _)| near(*n));
        let mut votes: Vec<usize> = read.filter_map(|(_, s)| self.chosen(s, approve)).collect();
        if votes.is_empty() {
            votes.extend(text.lines().filter_map(|line| self.concluded(line)));
        }
        if votes.is_empty() {
            let pairs = sentences.windows(2).enumerate().filter(|(n, _)| near(*n) || near(n + 1));
            votes.extend(pairs.filter_map(|(_, pair)| self.refers(pair)));
        }
        if votes.is_empty() && short && self.only(&text).is_some() {
            votes.extend(
                sentences.iter().filter(|s| !self.doubts(s)).filter_map(|s| self.alone_in(s)),
            );
        }
        if votes.is_empty() && short && !self.answers && !self.denies(&text) {
            votes.extend(self.only(&text));
        }
        let first = agreed(votes)?;
        Some((first, self.reason(&own, first)))
    }

    /// Returns the vote of a line such as "Conclusion: I vote for A.", anywhere in a reply.
    fn concluded(&self, line: &str) -> Option<usize> {
        let vote = behind_word(line, &words().so)?.strip_prefix([':', '：'])?;
        self.chosen(vote, &words().approve)
    }

    /// Returns the answer of two sentences: one approves without a label, the other has one and denies nothing.
    fn refers(&self, pair: &[&str]) -> Option<usize> {
        let [first, second] = pair else { return None };
        let (named, other) = if self.is_in(second) { (second, first) } else { (first, second) };
        let approve = &words().approve;
        let parts = clauses(named);
        let named: Vec<usize> = parts
            .iter()
            .filter(|part| !self.denies(part))
            .filter_map(|part| self.only(part))
            .collect();
        let answer = agreed(named)?;
        let spoils = |part: &&str| self.doubts(part) || self.takes_back(part, answer, approve);
        let approved = !self.is_in(other) && self.has(other, approve);
        (approved && !pair.iter().any(spoils)).then_some(answer)
    }

    /// Returns whether a text leaves the vote open.
    fn is_undecided(&self, text: &str) -> bool {
        self.has(text, &words().undecided)
    }

    /// Returns the answer whose label is a clause of a sentence, unless the clauses around it take it back.
    fn alone_in(&self, sentence: &str) -> Option<usize> {
        let parts = clauses(sentence);
        let at = parts.iter().position(|part| self.alone(part).is_some())?;
        let (of, _) = self.alone(parts.get(at)?)?;
        let is_objection = |(n, part): (usize, &&str)| {
            let about = self.only(part).is_none_or(|other| other == of);
            n != at && about && self.denies(part) && behind_word(part, &words().because).is_none()
        };
        (!parts.iter().enumerate().any(is_objection)).then_some(of)
    }

    /// Returns the reason of a vote: the text behind the label if a sign or a reason follows it, else the whole reply.
    fn reason(&self, text: &str, answer: usize) -> String {
        let letters = Letters::new(text);
        let of_answer = |m: &Mention| m.of == answer;
        let mention = self.mentions(&letters, text).into_iter().find(of_answer);
        let rest = mention.and_then(|mention| text.get(letters.byte(mention.end)..));
        let bare = rest.map(|rest| rest.trim_start_matches(['*', '_', '`', ')', ']', '"', '”']));
        let is_reason = |bare: &&str| {
            let begins = |c: char| !c.is_alphanumeric() && !matches!(c, ' ' | '\'' | '’');
            behind_word(bare, &words().because).is_some()
                || bare.starts_with(begins)
                || !bare.contains(char::is_alphanumeric)
        };
        bare.filter(is_reason).unwrap_or(text).trim().to_owned()
    }

    /// Returns whether a reply without a vote is an answer: the first one, or one with enough words. A comment on another
    /// answer is often longer than half of the voter's own, and a remark such as "Both are good." than a short one.
    fn is_answer(&self, said: &str) -> bool {
        let count = word_count(said);
        let before = self.before.map(word_count);
        let least = before.unwrap_or_default().max(SHORT_WORDS + 1);
        let is_comment = count < least && self.is_in(said);
        let is_enough = |before| count >= ANSWER_WORDS && count * 2 >= before;
        let differs = self.among.is_empty() || !is_comment && before.is_none_or(is_enough);
        let (first, last) = (sentences(said).first().copied(), sentences(said).last().copied());
        // a seat with an answer speaks of its vote
        let names = |s: &str| self.has(s, &words().vote_label) && self.is_in(s);
        let votes = |s: &str| before.is_some() && (self.has(s, &words().my_vote) || names(s));
        let is_open = |s: &str| self.is_undecided(s) || votes(s);
        let open = count < least * 2 && [first, last].into_iter().flatten().any(is_open);
        let is_question = !self.among.is_empty() && count < least && last.is_some_and(asks);
        self.answers && !said.is_empty() && differs && !open && !is_question
    }

    /// Returns whether a small letter is followed by a word, as in "answer a question".
    fn is_article(&self, letters: &Letters, text: &str, end: usize) -> bool {
        let letter = text.get(letters.byte(end - 1)..).and_then(|rest| rest.chars().next());
        letter.is_some_and(|c| c.is_ascii_lowercase()) && self.word_follows(letters, end)
    }

    /// Returns whether a capital letter is no word: no other word follows it but a verb, or it is a word in no language.
    fn stands_alone(&self, letters: &Letters, text: &str, at: usize) -> bool {
        let is_latin = letters.char(at).is_some_and(|c| c.is_ascii());
        let next = letters.skip(at + 1, |c| c == ' ');
        // of another script
        let is_other = |c: char| is_unspaced(c) || is_latin && !c.is_ascii_alphanumeric();
        // articles are in capitals only at the beginning of a sentence, unlike "I"
        let before = text.get(..letters.byte(at)).and_then(|before| before.split(' ').nth_back(1));
        let is_lower = |word: &str| !word.is_empty() && word.chars().all(char::is_lowercase);
        let is_within = || before.is_some_and(is_lower) && letters.char(at) != Some('i');
        is_latin && letters.char(at).is_some_and(|c| !"aeiouy".contains(c))
            || !self.word_follows(letters, at + 1)
            || letters.char(next).is_some_and(is_other)
            || is_within()
            || [&words().is, &words().courtesy, &words().over]
                .iter()
                .any(|row| letters.one_of(next, row).is_some())
    }

    fn word_follows(&self, letters: &Letters, end: usize) -> bool {
        let next = letters.skip(end, |c| c == ' ');
        next > end
            && letters.char(next).is_some_and(char::is_alphanumeric)
            && letters.one_of(next, &words().because).is_none()
            && letters.one_of(next, &words().or).is_none()
    }
}

impl Candidates for VoteReader<'_> {
    fn minds_faults(&self) -> bool {
        true
    }

    fn whole(&self, text: &str) -> Option<usize> {
        self.exactly(text)
    }

    fn names(&self) -> Vec<&str> {
        self.among.iter().map(|(label, _)| &**label).collect()
    }

    fn mention_at(&self, letters: &Letters, text: &str, at: usize) -> Option<Mention> {
        if !letters.breaks(at) {
            return None;
        }
        let found = |answer: usize, end: usize| Some(Mention { start: at, end, of: answer });
        let own =
            self.voter.and_then(|voter| self.among.iter().position(|(_, seat)| seat == voter));
        if let (Some(own), Some(end)) = (own, letters.one_of(at, &words().own)) {
            // all keep their own answers
            return letters.find(&words().each).is_none().then(|| found(own, end))?;
        }
        for (n, (label, _)) in self.among.iter().enumerate() {
            if let Some(end) = letters.word(at, &word(label))
                && !self.is_article(letters, text, end)
            {
                return found(n, end);
            }
        }
        let noun = letters.one_of(at, &words().noun);
        let begin = match noun {
            Some(end) => {
                letters.skip(end, |c| !c.is_alphanumeric() && !matches!(c, '.' | '\n' | '?' | '!'))
            }
            None => at,
        };
        let (letter, end) = (letters.char(begin)?, begin + 1);
        let is_letter = |(label, _): &(Text, SeatId)| {
            let mut tail = tail(label).chars();
            let same = |c| shape(c).is_some_and(|c| shape(letter) == Some(c));
            tail.next().is_some_and(same) && tail.next().is_none()
        };
        let digit = noun.and_then(|_| letter.to_digit(10));
        let nth = || (digit? as usize).checked_sub(1);
        let answer = self.among.iter().position(is_letter).or_else(nth)?;
        if !letters.breaks(begin) || !letters.breaks(end) || answer >= self.among.len() {
            return None;
        }
        let capital = text.get(letters.byte(begin)..)?.starts_with(char::is_uppercase);
        match noun {
            Some(_) if !self.is_article(letters, text, end) => found(answer, end),
            Some(_) => None,
            None if capital
                && !is_elided(letters, end)
                && self.stands_alone(letters, text, begin) =>
            {
                found(answer, end)
            }
            None => None,
        }
    }
}

/// Returns whether a letter is a word without its vowel, as in "C'est"; "C's" is not.
fn is_elided(letters: &Letters, end: usize) -> bool {
    let next = letters.char(end + 1).filter(|c| c.is_alphanumeric());
    letters.char(end) == Some('\'') && next.is_some_and(|c| c != 's' || !letters.breaks(end + 2))
}

/// Returns the letter or number at the end of a label.
fn tail(label: &str) -> &str {
    label.rsplit(' ').next().unwrap_or(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn among() -> Vec<(Text, SeatId)> {
        vec![("Answer A".into(), "cy".into()), ("Answer B".into(), "bo".into())]
    }

    fn read(answers: bool, before: Option<&str>, said: &str) -> Result<Value, Unclear> {
        let among = among();
        let reader = VoteReader { among: &among, answers, before, ..VoteReader::default() };
        proposal(&reader, said, &Value::Null).map(|read| read.structured)
    }

    #[test]
    fn a_vote_keeps_its_reason_and_an_answer_its_text() {
        for (said, expected) in [
            ("VOTE: B\nIt has the figures.", json!({"vote": "bo", "why": "It has the figures."})),
            ("**Vote:** Answer A. It is short.", json!({"vote": "cy", "why": "It is short."})),
            ("{\"vote\": \"Answer B\", \"why\": \"x\"}", json!({"vote": "bo", "why": "x"})),
            ("{\"vote\": \"cy\"}", json!({"vote": "cy", "why": ""})),
            (
                "\nANSWER: Take the bus.\nIt is there.",
                json!({"proposal": "Take the bus.\nIt is there."}),
            ),
            ("{\"answer\": \"Walk.\"}", json!({"proposal": "Walk."})),
            ("I vote for Answer A.", json!({"vote": "cy", "why": ""})),
            ("Okay.\nVOTE: Answer A", json!({"vote": "cy", "why": "Okay."})),
            ("VOTE: [Answer A]", json!({"vote": "cy", "why": ""})),
            (
                "VOTE: B because it has figures.",
                json!({"vote": "bo", "why": "because it has figures."}),
            ),
            ("I agree with Answer B: the trains.", json!({"vote": "bo", "why": "the trains."})),
            ("ANSWER: Walk.\nVOTE: Answer A", json!({"proposal": "Walk.\nVOTE: Answer A"})),
            ("We should put it to the vote.", json!({"proposal": "We should put it to the vote."})),
        ] {
            assert_eq!(read(true, None, said), Ok(expected), "{said}");
        }
        for said in ["VOTE: D", "VOTE:", "ANSWER:", "{\"vote\": \"zoe\"}"] {
            assert!(read(true, None, said).is_err(), "{said}");
        }
    }

    #[test]
    fn an_unclear_reply_asks_for_a_vote_or_an_answer() {
        let asked =
            read(true, Some("Take the bus at nine o'clock."), "Both are good.").unwrap_err();
        assert_eq!(
            asked.ask.as_deref(),
            Some(
                "Is that a vote or an answer? Begin with \"VOTE:\" and one of Answer A, Answer B, or with \"ANSWER:\" and \
                 your answer in full."
            )
        );
        for (said, whose) in [
            ("B", Some("bo")),
            ("Answer B has a fine second step.", Some("bo")),
            ("Answer B has no second step, not even a first.", None),
            ("Both are good.", None),
            ("", None),
        ] {
            let vote = read(false, None, said).ok();
            let vote = vote.map(|v| v["vote"].as_str().unwrap_or_default().to_owned());
            assert_eq!(vote.as_deref(), whose, "{said}");
        }
    }

    #[test]
    fn a_final_answer_has_no_label_in_front() {
        for said in ["ANSWER: Walk.", "**Answer:** Walk.", " answer: Walk. "] {
            assert_eq!(presented(3, said).unwrap().text.as_deref(), Some("Walk."), "{said}");
        }
        assert!(presented(3, "VOTE: Answer B").is_err() && presented(3, "Answer B.").is_err());
        assert_eq!(presented(3, "Walk to it.").unwrap().text, None);
    }

    #[test]
    fn an_id_that_is_a_letter_is_never_taken_for_a_label() {
        let among = vec![("Answer A".into(), "b".into()), ("Answer B".into(), "a".into())];
        let names = BTreeMap::from([("a".into(), "Ann".into()), ("b".into(), "Bea".into())]);
        let names = Some(&names);
        let reader = VoteReader { among: &among, names, answers: true, ..VoteReader::default() };
        for (said, whose, text) in [
            ("VOTE: B\nIt is short.", "a", "Votes for Ann: It is short."),
            ("VOTE: Answer A", "b", "Votes for Bea."),
            ("{\"vote\": \"a\"}", "b", "Votes for Bea."),
        ] {
            let read = proposal(&reader, said, &Value::Null).unwrap();
            assert_eq!(
                (read.structured["vote"].as_str(), read.text.as_deref()),
                (Some(whose), Some(text))
            );
        }
    }
}
