//! Plain text, also the accessible form: a head in brackets, the message indented below it, notes after `--`.
//!
//! Messages are indented by two columns, so that no line of a speaker can be mistaken for a head or a note. Lines are
//! not wrapped.

use super::{Narrated, REHEARSED};

/// Returns a narrated item as text, including the blank line after it.
pub fn spell(told: &Narrated) -> String {
    match told {
        Narrated::Opening { title, topic, rehearsed, voices } => {
            let topic = topic.iter().map(|t| format!("{t}\n")).collect::<String>();
            let voices = voices.iter().map(|v| format!("voices: {v}\n")).collect::<String>();
            let label = if *rehearsed { format!("{REHEARSED}\n") } else { String::new() };
            format!("{title}\n{topic}{label}{voices}\n")
        }
        Narrated::Words { place, who, body } => format!("[{place}] {who}\n{}\n", indented(body)),
        Narrated::Note(note) => format!("-- {note}\n\n"),
    }
}

fn indented(body: &str) -> String {
    let line = |l: &str| match l.trim_end() {
        "" => "\n".to_owned(),
        l => format!("  {l}\n"),
    };
    body.trim_matches('\n').lines().map(line).collect()
}
