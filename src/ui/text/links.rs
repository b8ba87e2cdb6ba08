//! What can be taken out of a message: its blocks of code and its links, read off the words as they were written.

/// A part of some Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessagePart<'a> {
    /// Everything but blocks of code.
    Words(&'a str),
    /// A block of code without its fences.
    Code {
        /// The language it names; empty if it names none.
        language: &'a str,
        /// The code.
        code: String,
    },
}

/// Returns the parts of some Markdown: a block of code begins and ends with a fence at the left edge. What is still being
/// written, or was cut, is a block as well.
pub fn parts(said: &str) -> Vec<MessagePart<'_>> {
    let mut parts = Vec::new();
    let mut open: Option<(&str, &str, String)> = None;
    let (mut from, mut at) = (0, 0);
    for line in said.split_inclusive('\n') {
        let begin = at;
        at += line.len();
        let marks = line.len() - line.trim_start_matches(['`', '~']).len();
        let (fence, rest) = (&line[..marks], line[marks..].trim());
        let is_fence = marks >= 3 && fence.bytes().all(|b| Some(b) == fence.bytes().next());
        match &mut open {
            Some((begun, language, code))
                if is_fence && fence.starts_with(*begun) && rest.is_empty() =>
            {
                parts.push(MessagePart::Code { language, code: std::mem::take(code) });
                (open, from) = (None, at);
            }
            Some((.., code)) => code.push_str(line),
            None if is_fence && !rest.contains('`') => {
                if begin > from {
                    parts.push(MessagePart::Words(&said[from..begin]));
                }
                let language = rest.split(|c: char| c.is_whitespace() || c == ',').next();
                open = Some((fence, language.unwrap_or_default(), String::new()));
            }
            None => {}
        }
    }
    match open {
        Some((_, language, code)) => parts.push(MessagePart::Code { language, code }),
        None if from < said.len() => parts.push(MessagePart::Words(&said[from..])),
        None => {}
    }
    parts
}

/// Returns the blocks of code of some Markdown, without their fences.
pub fn code(said: &str) -> Vec<String> {
    let code = parts(said).into_iter().filter_map(|part| match part {
        MessagePart::Code { code, .. } => Some(code),
        MessagePart::Words(_) => None,
    });
    code.collect()
}

/// Returns the addresses in a text, in order, each once: only of the web and of mail.
pub fn links(said: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let starts = ["https://", "http://", "mailto:"];
    let mut rest = said;
    while let Some(at) = starts.iter().filter_map(|s| rest.find(s)).min() {
        let tail = &rest[at..];
        let end = tail
            .find(|c: char| c.is_whitespace() || c.is_control() || "<>\"`|".contains(c))
            .unwrap_or(tail.len());
        let mut link = &tail[..end];
        // what closes a sentence or a bracket that was opened before the address is no part of it
        while let Some(last) = link.chars().last() {
            let opens = link.contains('(');
            let closes = ".,;:!?'*_]}".contains(last) || last == ')' && !opens;
            if !closes {
                break;
            }
            link = &link[..link.len() - last.len_utf8()];
        }
        let named = starts.iter().any(|s| link.len() > s.len() && link.starts_with(s));
        if named && !found.iter().any(|f| f == link) {
            found.push(link.to_owned());
        }
        rest = &tail[end.max(1)..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_code_lose_their_fences_alone() {
        for (said, blocks) in [
            ("a\n```rust\nfn x() {}\n```\nb", vec!["fn x() {}\n"]),
            ("```\none\n```\n~~~\n```\n~~~", vec!["one\n", "```\n"]),
            ("````\n```\n````", vec!["```\n"]),
            ("```\nstill", vec!["still"]),
            ("no code", vec![]),
        ] {
            assert_eq!(code(said), blocks, "{said:?}");
        }
    }

    #[test]
    fn links_are_whole_and_nothing_else_is_one() {
        for (said, found) in [
            ("see https://a.example/b?c=d.", vec!["https://a.example/b?c=d"]),
            (
                "[x](https://a.example/y) and (http://b.example)",
                vec!["https://a.example/y", "http://b.example"],
            ),
            ("https://a.example/w_(x) https://a.example/w_(x)", vec!["https://a.example/w_(x)"]),
            ("<mailto:me@a.example>", vec!["mailto:me@a.example"]),
            ("javascript:alert(1) https:// file:///etc", vec![]),
        ] {
            assert_eq!(links(said), found, "{said:?}");
        }
    }
}
