//! Reads a source file for the rules: its tokens, comments, literals and paths.
//!
//! It is not a parser. It recognises comments, literals, brackets and `a::{b, c}`, which suffices for the rules.

use regex::{Captures, Regex};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// Folders of the crates in `src`, from the lowest one; the rest of `src` is the program.
pub const CRATES: [&str; 8] =
    ["base", "config", "record", "providers", "runtime", "report", "tui", "lab"];
/// Comments, literals, words, `::` and single characters.
const TOKEN: &str = concat!(
    r#"(?s)//[^\n]*|/\*.*?\*/|[bc]?r(?:".*?"|\#".*?"\#|\#\#".*?"\#\#)|[bc]?"(?:[^"\\]|\\.)*""#,
    r"|'(?:\\.[^'\n]*|[^\\'])'|\w+|::|\S"
);
/// Keywords of items with a name.
const ITEMS: [&str; 10] =
    ["struct", "enum", "trait", "type", "union", "fn", "const", "static", "mod", "macro_rules"];

static TOKENS: LazyLock<Regex> = LazyLock::new(|| Regex::new(TOKEN).unwrap());
static ESCAPE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\\(\n\s*|.)").unwrap());
static QUOTED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("(?i)`[a-z0-9[:punct:] ]*?`").unwrap());

/// A part of a file: a token, a path, a comment or a line.
#[derive(Clone, Debug)]
pub struct Part {
    /// Line, from 1.
    pub line: usize,
    pub text: String,
    /// Whether it belongs to a test.
    pub of_test: bool,
}

/// An item with a name.
pub struct Declared<'a> {
    /// Index of the token of its kind.
    pub at: usize,
    pub kind: &'a str,
    pub name: &'a Part,
    pub is_public: bool,
}

/// A source file; of other files, the comments alone.
pub struct Source {
    /// Path relative to the repository.
    pub path: String,
    pub comments: Vec<Part>,
    /// Words, `::`, single characters, and literals: a quotation mark with the content.
    pub tokens: Vec<Part>,
    /// Lines with blanks in place of comments and literals.
    pub lines: Vec<Part>,
}

impl Source {
    /// Creates a source from its content.
    pub fn new(path: &str, raw: &str) -> Source {
        let mut source =
            Source { path: path.into(), comments: vec![], tokens: vec![], lines: vec![] };
        if !path.ends_with(".rs") {
            // the lines of rehearsed characters are exempt
            let ours = |line: &str| path.ends_with(".md") || line.starts_with('#');
            let lines = raw.lines().zip(1..).filter(|(line, _)| ours(line));
            source.comments = lines.map(|(line, at)| Part::new(at, line)).collect();
            return source;
        }
        let mut code = String::with_capacity(raw.len());
        let mut line = 1;
        for found in TOKENS.find_iter(raw) {
            let between = &raw[code.len()..found.start()];
            line += between.matches('\n').count();
            code += between;
            let text = found.as_str();
            let is_comment = text.starts_with("//") || text.starts_with("/*");
            if is_comment {
                source.comments.push(Part::new(line, text));
            } else if let Some(content) = content(text) {
                source.tokens.push(Part::new(line, &format!("\"{content}")));
            } else {
                source.tokens.push(Part::new(line, text));
                code += text;
                continue;
            }
            code.extend(text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
            line += text.matches('\n').count();
        }
        source.lines = code.lines().zip(1..).map(|(line, at)| Part::new(at, line)).collect();
        source.mark_tests();
        source
    }

    /// Marks the parts of tests: whole files of tests, and items with `#[cfg(test)]`.
    fn mark_tests(&mut self) {
        let is_whole = self.is_of_tests();
        let mut tests = vec![];
        for (at, token) in self.tokens.iter().enumerate().filter(|(_, token)| token.text == "cfg") {
            if self.is(at + 2, "test") {
                tests.push(token.line..=self.end_of_item(at));
            }
        }
        for part in self.tokens.iter_mut().chain(&mut self.lines) {
            part.of_test = is_whole || tests.iter().any(|lines| lines.contains(&part.line));
        }
    }

    /// Returns the line of the semicolon or brace that ends an item.
    fn end_of_item(&self, start: usize) -> usize {
        let mut depth = 0_usize;
        for token in &self.tokens[start..] {
            match token.text.as_str() {
                "{" => depth += 1,
                "}" if depth <= 1 => return token.line,
                "}" => depth -= 1,
                ";" if depth == 0 => return token.line,
                _ => {}
            }
        }
        usize::MAX
    }

    /// Reads all sources of a folder, and the comments of scenarios.
    pub fn all(root: &Path, folder: &str) -> Vec<Source> {
        let mut names: Vec<_> =
            fs::read_dir(root.join(folder)).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        let mut all = Vec::new();
        for name in names {
            let path = format!("{folder}/{}", name.display());
            if root.join(&path).is_dir() {
                all.extend(Source::all(root, &path));
            } else if path.ends_with(".rs") || path.starts_with("assets/scenarios/") {
                all.push(Source::new(&path, &fs::read_to_string(root.join(&path)).unwrap()));
            }
        }
        all
    }

    /// Returns whether the file has nothing but tests.
    pub fn is_of_tests(&self) -> bool {
        self.path.starts_with("tests/") || self.path.ends_with("/tests.rs")
    }

    /// Returns the path within the file's crate, as in `model/seq.rs`.
    pub fn place(&self) -> &str {
        let inside = self.path.strip_prefix("src/").unwrap_or(&self.path);
        match inside.split_once('/') {
            Some((name, place)) if CRATES.contains(&name) => place,
            _ => inside,
        }
    }

    /// Returns whether a folder or file is the source or contains it.
    pub fn is_at(&self, place: &str) -> bool {
        let inside = |path: &str| {
            path.strip_prefix(place)
                .is_some_and(|rest| matches!(rest, "" | ".rs") || rest.starts_with('/'))
        };
        inside(&self.path) || inside(self.place())
    }

    /// Returns the path of the file's module; `None` for the roots of the crates.
    pub fn module(&self) -> Option<String> {
        let inside = self.place().strip_suffix(".rs")?;
        let is_root = !self.is_at("src") || matches!(inside, "main" | "lib");
        (!is_root).then(|| inside.strip_suffix("/mod").unwrap_or(inside).replace('/', "::"))
    }

    /// Returns every path of the code, expanding `a::{b, c::d}` to `a::b` and `a::c::d`.
    pub fn paths(&self) -> Vec<Part> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            at = self.path(at, "", &mut found).max(at + 1);
        }
        found
    }

    /// Returns the paths of the `use` declarations that re-export them, or of the others.
    pub fn imports(&self, re_exported: bool) -> Vec<Part> {
        let mut found = Vec::new();
        for start in (0..self.tokens.len()).filter(|at| self.tokens[*at].text == "use") {
            // `pub use`, `pub(crate) use`
            if [1, 4].iter().any(|before| self.is(start.wrapping_sub(*before), "pub"))
                == re_exported
            {
                self.path(start + 1, "", &mut found);
            }
        }
        found
    }

    /// Returns the items that the file declares.
    pub fn items(&self) -> impl Iterator<Item = Declared<'_>> {
        self.tokens.windows(2).enumerate().filter_map(|(at, pair)| {
            let is_public = [1, 4].iter().any(|before| self.is(at.wrapping_sub(*before), "pub"));
            let is_item = ITEMS.contains(&&*pair[0].text) && is_word(&pair[1].text);
            let item = Declared { at, kind: &pair[0].text, name: &pair[1], is_public };
            is_item.then_some(item)
        })
    }

    /// Returns the literals, without their quotation marks.
    pub fn literals(&self) -> impl Iterator<Item = Part> {
        self.tokens.iter().filter_map(|token| {
            let text = token.text.strip_prefix('"')?.into();
            Some(Part { text, ..*token })
        })
    }

    /// Returns the comments as sentences, with lines of code left out and quoted code as `x`.
    pub fn sentences(&self) -> Vec<Part> {
        let mut blocks: Vec<Part> = vec![];
        let mut last = 0;
        let mut is_code = false;
        for Part { line, text, .. } in &self.comments {
            let text = text.trim_start_matches(['/', '!', '*']).trim();
            if blocks.is_empty() || *line != last + 1 || text.starts_with("---") {
                blocks.push(Part::new(*line, ""));
                is_code = false;
            }
            last = *line;
            if text.starts_with("```") {
                is_code = !is_code;
            } else if let (Some(block), false) = (blocks.last_mut(), is_code) {
                block.text.push_str(text);
                block.text.push(' ');
            }
        }
        for block in &mut blocks {
            block.text = QUOTED.replace_all(block.text.trim(), "`x`").into_owned();
        }
        blocks.retain(|block| block.text.split_whitespace().count() > 2);
        blocks
    }

    /// Returns whether the token at an index is `text`.
    pub fn is(&self, at: usize, text: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.text == text)
    }

    /// Parses the path at a token, with `prefix` before it; returns the token after it.
    fn path(&self, mut at: usize, prefix: &str, found: &mut Vec<Part>) -> usize {
        let mut whole = prefix.to_owned();
        let mut last = None;
        while let Some(token) = self.tokens.get(at).filter(|token| is_word(&token.text)) {
            whole += &token.text;
            last = Some(token);
            at += 1;
            if !self.is(at, "::") {
                break;
            }
            whole += "::";
            at += 1;
        }
        if !self.is(at, "{") || !whole.ends_with("::") {
            let is_all = whole.ends_with("::") && self.is(at, "*");
            // `a::<T>`
            let text = if is_all { whole + "*" } else { whole.trim_end_matches(':').to_owned() };
            if let (Some(token), false) = (last.or(self.tokens.get(at)), text.is_empty()) {
                found.push(Part { text, ..*token });
            }
            return at;
        }
        at += 1;
        while at < self.tokens.len() && !self.is(at, "}") {
            let before = at;
            at = self.path(at, &whole, found);
            if self.is(at, "as") {
                at += 2;
            }
            if at == before || self.is(at, ",") {
                at += 1;
            }
        }
        at + 1
    }
}

impl Part {
    fn new(line: usize, text: &str) -> Part {
        Part { line, text: text.into(), of_test: false }
    }
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_') && token != "as"
}

/// Returns the value of a literal, with escapes resolved approximately; `None` for other tokens.
fn content(literal: &str) -> Option<String> {
    let (prefix, _) = literal.split_once(['"', '\''])?;
    let body = literal[prefix.len()..].trim_matches('#');
    let body = body.get(1..body.len() - 1)?;
    if prefix.contains('r') || !body.contains('\\') {
        return Some(body.into());
    }
    let resolve = |escape: &Captures| match &escape[1] {
        "n" => "\n".to_owned(),
        "\"" | "\\" | "'" => escape[1].to_owned(),
        // the string continues on the next line
        other if other.starts_with('\n') => String::new(),
        other => format!("\\{other}"),
    };
    Some(ESCAPE.replace_all(body, resolve).into_owned())
}
