//! What can be taken out of a message: its blocks of code and its links, read off the words as they were written.

/// Returns the blocks of code of some Markdown, without their fences.
pub fn code(said: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in said.lines() {
        let text = line.trim_start();
        let run = text.chars().next().filter(|c| matches!(c, '`' | '~'));
        let fence: String =
            run.map_or(String::new(), |c| text.chars().take_while(|f| *f == c).collect());
        match &mut open {
            Some((begun, block))
                if fence.starts_with(begun.as_str()) && text.trim_end() == fence =>
            {
                blocks.push(std::mem::take(block));
                open = None;
            }
            Some((_, block)) => {
                block.push_str(line);
                block.push('\n');
            }
            None if fence.len() >= 3 => open = Some((fence, String::new())),
            None => {}
        }
    }
    // what is still being written, or was cut, is a block as well
    blocks.extend(open.map(|(_, block)| block));
    blocks
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
            ("```\nstill", vec!["still\n"]),
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
