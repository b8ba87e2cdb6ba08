//! Replies that only repeat: the same sentence again and again, or a message that was just shown.
//!
//! Small models do both. Only words are compared: sentences with the same words are equal, regardless of the characters
//! between the words.

use super::likeness::{KnownTrigrams, Trigrams, mixed};
use std::collections::HashMap;
use std::sync::Arc;

/// Maximum number of times that a sentence may occur in a reply.
const TIMES: usize = 2;
/// Maximum number of consecutive repeats of the same words within a sentence.
const STRAIGHT: usize = 3;
/// Maximum length of a repeated phrase, in words.
const LONGEST: usize = 12;
/// Minimum number of words in such a run; a shorter run may be a figure of speech ("never again, never again, never
/// again").
const RUN_WORDS: usize = 12;
/// Minimum number of words of a sentence that counts; shorter ones such as "yes" may repeat.
const SENTENCE_WORDS: usize = 4;
/// Minimum number of words of a reply that can be an echo; shorter replies may legitimately repeat.
const ECHO_WORDS: usize = 5;
/// Share of a reply that must repeat earlier words to make it an echo, from 0 to 1.
const ECHO: f64 = 0.8;

/// Byte offset and bare words of a sentence.
struct Sentence {
    at: usize,
    words: BareWords,
    counts: bool,
}

/// Hash of words: the words of a long reply are compared often, and only with each other.
type BareWords = u64;

/// Returns the byte offset from which a reply only repeats itself, as soon as one of its sentences occurs for the third
/// time, or a phrase for the fourth time in a row. Only complete sentences and words count, so that it can be called on
/// a stream.
pub fn repeats_from(reply: &str) -> Option<usize> {
    let found = [sentence_repeats(reply), words_repeat(reply)];
    found.into_iter().flatten().min()
}

/// Returns the byte offset at which a phrase begins to repeat consecutively.
fn words_repeat(reply: &str) -> Option<usize> {
    let end = reply.rfind(char::is_whitespace).unwrap_or(0);
    let complete = reply.get(..end).unwrap_or_default();
    let mut words = vec![];
    let mut code = false;
    for line in complete.split_inclusive('\n') {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        let begins = line.as_ptr() as usize - reply.as_ptr() as usize;
        let prose = if code || fence { "" } else { line };
        words.extend(prose.split_whitespace().filter_map(|word| {
            let at = begins + (word.as_ptr() as usize - line.as_ptr() as usize);
            Some((at, bare(word)?, word))
        }));
    }
    (1..=LONGEST).find_map(|length| {
        let later = words.get(length..)?;
        let mut same = 0;
        let end = words.iter().zip(later).position(|((_, word, _), (_, again, _))| {
            same = if word == again { same + 1 } else { 0 };
            same >= STRAIGHT * length && same + length >= RUN_WORDS
        })?;
        // a row of numbers may legitimately contain the same number many times
        let run = later.get(end + 1 - same..=end)?;
        let in_words = run.iter().any(|(.., word)| word.contains(char::is_alphabetic));
        if in_words { run.first().map(|(at, ..)| *at) } else { None }
    })
}

/// Returns a hash of the letters and digits of a word, ignoring case; `None` if it has none.
fn bare(word: &str) -> Option<BareWords> {
    if word.is_ascii() {
        let signs = word.bytes().filter(u8::is_ascii_alphanumeric);
        let signs = signs.map(|sign| u64::from(sign.to_ascii_lowercase()));
        return signs.fold(None, |so_far, sign| Some(mixed(so_far, sign)));
    }
    let signs = word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
    signs.fold(None, |so_far, sign| Some(mixed(so_far, u64::from(u32::from(sign)))))
}

fn sentence_repeats(reply: &str) -> Option<usize> {
    let sentences = sentences(reply);
    let mut times: HashMap<BareWords, usize> = HashMap::new();
    let third = sentences.iter().position(|sentence| {
        let n = times.entry(sentence.words).or_default();
        *n += usize::from(sentence.counts);
        *n > TIMES
    })?;
    // the sentences before it may be repeats too
    let before = |at: usize| sentences.iter().take(at).map(|s| s.words);
    let mut cut = third;
    while let Some(last) = cut.checked_sub(1)
        && sentences.get(last).is_some_and(|s| before(last).any(|words| words == s.words))
    {
        cut = last;
    }
    sentences.get(cut).map(|s| s.at)
}

/// Returns the complete sentences of a reply; sentences in code do not count.
fn sentences(reply: &str) -> Vec<Sentence> {
    let mut all = vec![];
    let mut at = 0;
    let mut code = false;
    for (end, mark) in reply.match_indices(['.', '!', '?', '\n']) {
        let behind = end + mark.len();
        // the point in "3.5" does not end a sentence
        let inside = mark != "\n"
            && reply
                .get(behind..)
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric()));
        if inside {
            continue;
        }
        let text = reply.get(at..behind).unwrap_or_default();
        if text.trim_start().starts_with("```") {
            code = !code;
        }
        let mut words = None;
        let mut count = 0;
        for word in text.split_whitespace().filter_map(bare) {
            words = Some(mixed(words, word));
            count += 1;
        }
        if let Some(words) = words {
            let begins = text.find(|c: char| !c.is_whitespace()).unwrap_or(0);
            all.push(Sentence { at: at + begins, words, counts: !code && count >= SENTENCE_WORDS });
        }
        at = behind;
    }
    all
}

/// Returns unfinished JSON cut where its last text begins to repeat itself, and closed there.
pub fn closed_at_repetition(json: &str) -> Option<String> {
    let mut closing = vec![];
    let mut text = None;
    let mut escaped = false;
    for (at, c) in json.char_indices() {
        match (text, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(_), '"') => text = None,
            (Some(_), _) => {}
            (None, '"') => text = Some(at + 1),
            (None, '{') => closing.push('}'),
            (None, '[') => closing.push(']'),
            (None, '}' | ']') => drop(closing.pop()),
            (None, _) => {}
        }
    }
    if closing.is_empty() {
        return None;
    }
    let begin = text?;
    let at = begin + repeats_from(json.get(begin..)?)?;
    let kept = json.get(..at)?.trim_end();
    Some(format!("{kept}\"{}", closing.iter().rev().collect::<String>()))
}

/// Returns whether nearly all of a reply repeats messages that its speaker was just shown.
pub fn echoes(reply: &str, shown: impl IntoIterator<Item = Arc<Trigrams>>) -> bool {
    let words = reply.split_whitespace().filter(|w| w.contains(char::is_alphanumeric)).count();
    if words < ECHO_WORDS {
        return false;
    }
    let mut known = KnownTrigrams::default();
    shown.into_iter().for_each(|text| known.add(&text));
    1.0 - known.novelty(&Trigrams::new(reply)) >= ECHO
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_cut_where_it_only_repeats_itself() {
        let loops = "The question is a question. ".repeat(3);
        let turns = "I sell tea here. You drink it hot. ".repeat(3);
        for (reply, kept) in [
            (loops.as_str(), Some("The question is a question. ")),
            (turns.as_str(), Some("I sell tea here. You drink it hot. ")),
            (
                "It rains in Bergen. And so?\nIt rains in Bergen!\nit rains in Bergen.\n",
                Some("It rains in Bergen. And so?\n"),
            ),
            (
                "A word is enough. Fine. A word is enough. Good. A word is enough.",
                Some("A word is enough. Fine. A word is enough. Good. "),
            ),
            (
                "Well, you're right, you're right, you're right, you're right, you're right, you're right, you",
                Some("Well, you're right, "),
            ),
            (
                "```\nls\n```\nYes, we can, we can, we can, we can, we can, we can, we can, we can, we can, we",
                Some("```\nls\n```\nYes, we can, "),
            ),
            (
                "It is the way of the world that it is the way of the world that it is the way of the \
                 world that it is the way of the world that it",
                Some("It is the way of the world that "),
            ),
            ("Never again, never again, never again! No, no, no, no, no and no.", None),
            (
                "On day 1 we walk on, on day 2 we walk on, on day 3 we walk on, on day 4 we walk on, on",
                None,
            ),
            ("| 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 |", None),
            ("No. No. No. No. No.", None),
            ("It rains in Bergen. It rains in Bergen. It rains in Oslo.", None),
            ("It rains in Bergen. It rains in Bergen. It rains in Berg", None),
            ("It costs 3.5 euros a day. It costs 3.5 euros a week.", None),
            ("```\nlet a = b + c;\nlet a = b + c;\nlet a = b + c;\n```\n", None),
            ("", None),
        ] {
            assert_eq!(repeats_from(reply).map(|at| &reply[..at]), kept, "{reply}");
        }
    }

    #[test]
    fn unfinished_json_is_closed_where_its_text_repeats_itself() {
        let looping = r#"I sell the \"best\" tea. "#.repeat(4);
        let closed = |json: &str| closed_at_repetition(json);
        let json = format!("{{\"a\": [\"x y\"], \"b\": [{{\"c\": \"Well. {looping}");
        let kept = r#"{"a": ["x y"], "b": [{"c": "Well. I sell the \"best\" tea."}]}"#;
        assert_eq!(closed(&json).as_deref(), Some(kept));
        assert_eq!(closed(&format!("{json}\"")), None, "the text has ended");
        assert_eq!(closed("{\"a\": \"I sell tea."), None);
        assert_eq!(closed(&looping), None, "no JSON");
    }

    #[test]
    fn echo_repeats_a_recent_message() {
        let shown = [
            "Should cities ban private cars?",
            "I carry doors up the stairs, and the van carries me.",
        ];
        let shown = shown.map(|text| Arc::new(Trigrams::new(text)));
        for (reply, expected) in [
            ("Should cities ban private cars?", true),
            ("I carry doors up the stairs, and the van carries me.", true),
            (
                "\"I carry doors up the stairs, and the van carries me.\" And who pays for the van, the loan and the tax on it?",
                false,
            ),
            ("Cities should price them instead.", false),
            ("Yes, I do.", false),
            ("", false),
        ] {
            assert_eq!(echoes(reply, shown.clone()), expected, "{reply}");
        }
    }
}
