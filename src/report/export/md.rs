//! Markdown: a heading for each utterance, the message as a quotation below it, notes in italics.
//!
//! Messages keep their own Markdown, but within a quotation, so that their headings cannot be mistaken for ours. HTML
//! tags and images are escaped, because they could leave the quotation or load something.

use super::{Narrated, REHEARSED};

/// Characters with a meaning in a heading or a note.
const MEANING: &[char] = &['\\', '`', '*', '_', '[', ']', '<', '>', '#', '!', '|', '&', '~'];

/// Returns a narrated item as Markdown, including the blank line after it.
pub fn spell(told: &Narrated) -> String {
    match told {
        Narrated::Opening { title, topic, rehearsed, voices } => {
            let topic = topic.iter().map(|t| format!("{}\n\n", plain(t))).collect::<String>();
            let label = if *rehearsed { format!("*{REHEARSED}*\n\n") } else { String::new() };
            let voices =
                voices.iter().map(|v| format!("*voices: {}*\n\n", plain(v))).collect::<String>();
            format!("# {}\n\n{topic}{label}{voices}", plain(title))
        }
        Narrated::Words { place, who, body } => {
            format!("## {place} · {}\n\n{}", plain(who), quoted(body))
        }
        Narrated::Note(note) => format!("*{}*\n\n", plain(note)),
    }
}

/// Returns a line with all Markdown escaped.
pub fn plain(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    for c in line.trim().chars() {
        if MEANING.contains(&c) {
            plain.push('\\');
        }
        plain.push(c);
    }
    plain
}

fn quoted(body: &str) -> String {
    let body = body.trim_matches('\n');
    if body.is_empty() {
        return String::new();
    }
    let line = |l: &str| match l.trim_end() {
        "" => ">\n".to_owned(),
        l => format!("> {}\n", harmless(l)),
    };
    body.lines().map(line).chain(["\n".to_owned()]).collect()
}

/// Returns a line of a message with tags and images escaped.
fn harmless(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        let next = rest.peek().copied();
        let tag = c == '<' && next.is_some_and(|n| n.is_ascii_alphabetic() || "/!?".contains(n));
        let picture = c == '!' && next == Some('[');
        if tag || picture {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
