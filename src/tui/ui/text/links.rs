//! Code blocks and links in a message, found in its source text.

/// An address, or a part of it, on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScreenLink {
    /// Position of its first cell, as (column, row).
    pub at: (u16, u16),
    /// Number of its cells, all in one row.
    pub width: u16,
    /// Complete address.
    pub address: String,
}

/// A part of some Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessagePart<'a> {
    /// Everything but code blocks.
    Words(&'a str),
    /// A code block without its fences.
    Code {
        /// Language of the block; empty if it names none.
        language: &'a str,
        /// Code without its fences.
        code: String,
    },
}

/// Returns the parts of some Markdown. A code block starts and ends with a fence at the left edge; an unfinished or
/// truncated block counts as well.
pub fn parts(said: &str) -> Vec<MessagePart<'_>> {
    let mut parts = Vec::new();
    let mut open: Option<(&str, &str, String)> = None;
    let mut from = 0;
    let mut at = 0;
    for line in said.split_inclusive('\n') {
        let begin = at;
        at += line.len();
        let (fence, rest) = fence(line);
        let is_fence = !fence.is_empty();
        match &mut open {
            Some((begun, language, code))
                if is_fence && fence.starts_with(*begun) && rest.is_empty() =>
            {
                parts.push(MessagePart::Code { language, code: std::mem::take(code) });
                open = None;
                from = at;
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

/// Returns the marks of a line that opens or closes a code block, and the rest of the line; empty marks for other
/// lines.
fn fence(line: &str) -> (&str, &str) {
    let (marks, rest) = line.split_at(line.len() - line.trim_start_matches(['`', '~']).len());
    let same = marks.bytes().all(|b| Some(b) == marks.bytes().next());
    if marks.len() >= 3 && same { (marks, rest.trim()) } else { ("", line) }
}

/// Returns the length in bytes of the finished paragraphs of growing Markdown; later text cannot change their layout.
///
/// A paragraph is finished once it is followed by a single blank line and the start of a paragraph that cannot become
/// part of it. In doubtful cases (HTML, front matter, indented text, lists that may continue) it is not finished yet.
pub fn finished(said: &str) -> usize {
    if said.starts_with(['-', '+']) {
        return 0;
    }
    let mut finished = 0;
    let mut at = 0;
    let mut blank = 0;
    let mut open: Option<&str> = None;
    for line in said.split_inclusive('\n') {
        let (marks, rest) = fence(line);
        match open {
            Some(begun) if marks.starts_with(begun) && rest.is_empty() => open = None,
            Some(_) => {}
            None if line.trim_start().starts_with('<') => break,
            None => {
                let begins = |c: char| c.is_alphabetic() || "#\"`|“".contains(c);
                if blank == 1 && at > 1 && line.starts_with(begins) {
                    finished = at;
                }
                if !marks.is_empty() && !rest.contains('`') {
                    open = Some(marks);
                }
            }
        }
        blank = if line.trim().is_empty() && line.ends_with('\n') { blank + 1 } else { 0 };
        at += line.len();
    }
    finished
}

/// Returns the code blocks of some Markdown, without their fences.
pub fn code(said: &str) -> Vec<String> {
    let code = parts(said).into_iter().filter_map(|part| match part {
        MessagePart::Code { code, .. } => Some(code),
        MessagePart::Words(_) => None,
    });
    code.collect()
}

/// Returns the distinct web and mail addresses in a text, in order.
pub fn links(said: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let starts = ["https://", "http://", "mailto:"];
    let mut rest = said;
    while let Some(at) = starts.iter().filter_map(|s| rest.find(s)).min() {
        let tail = &rest[at..];
        let end = tail
            .find(|c: char| c.is_whitespace() || c.is_control() || "<>\"`|".contains(c))
            .unwrap_or(tail.len());
        // an address in the place of a link's words ends before the address that the link leads to
        let end = tail[..end].find("](").unwrap_or(end);
        let mut link = &tail[..end];
        // punctuation at the end, or a bracket opened before the address, is not part of it
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
    fn a_paragraph_is_finished_once_another_one_begins() {
        for (said, whole) in [
            ("one", ""),
            ("one\n\n", ""),
            ("one\n\nt", "one\n\n"),
            ("one\n\n\ntwo", ""),
            ("one\n\n- two\n\n  three\n\n4. four", ""),
            ("- one\n- two", ""),
            ("one\n\n- two\n\nthree", "one\n\n- two\n\n"),
            ("```\none\n\ntwo\n", ""),
            ("```\none\n\ntwo\n```\n\nthree", "```\none\n\ntwo\n```\n\n"),
            ("one\n\n<!-- two\n\nthree\n\nfour", ""),
            ("one\n\ntwo\n\nthree", "one\n\ntwo\n\n"),
            ("---\na: b\n\nc: d\n---\n", ""),
        ] {
            assert_eq!(&said[..finished(said)], whole, "{said:?}");
        }
    }

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
            (
                "[https://a.example](https://b.example/)",
                vec!["https://a.example", "https://b.example/"],
            ),
            ("<mailto:me@a.example>", vec!["mailto:me@a.example"]),
            ("javascript:alert(1) https:// file:///etc", vec![]),
        ] {
            assert_eq!(links(said), found, "{said:?}");
        }
    }
}
