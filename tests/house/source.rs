//! Reads a source file for the rules: without comments and literals, split into paths.
//!
//! It is not a parser. It recognises comments, literals, brackets and `a::{b, c}`, which suffices for the rules.

#![allow(dead_code, reason = "each of the tests that read sources uses a part of this")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

/// Folders of the crates in `src`, from the lowest one; the rest of `src` is the program.
pub const CRATES: [&str; 8] =
    ["base", "config", "record", "providers", "runtime", "report", "tui", "lab"];

/// A source file.
pub struct Source {
    /// Path relative to the repository.
    pub path: String,
    /// Unchanged content.
    pub raw: String,
    /// Content with comments and literals replaced by blanks, line for line.
    code: String,
    // most rules ask for these
    pieces: OnceLock<Vec<Found>>,
    tokens: OnceLock<Vec<Found>>,
    bare: OnceLock<Box<Source>>,
    paths: OnceLock<Vec<Found>>,
}

/// A match in a file.
#[derive(Clone, Debug)]
pub struct Found {
    /// Line, from 1.
    pub line: usize,
    /// Matched text.
    pub text: String,
}

impl Source {
    /// Creates a source from its content.
    pub fn new(path: &str, raw: &str) -> Source {
        Source::from_parts(path, raw, blank(raw))
    }

    fn from_parts(path: &str, raw: &str, code: String) -> Source {
        let (bare, paths) = (OnceLock::new(), OnceLock::new());
        let (pieces, tokens) = (OnceLock::new(), OnceLock::new());
        Source { path: path.into(), raw: raw.into(), code, bare, paths, pieces, tokens }
    }

    /// Reads a file.
    pub fn read(root: &Path, path: &str) -> Source {
        Source::new(path, &fs::read_to_string(root.join(path)).unwrap())
    }

    /// Returns the sources of the program, read once for all rules.
    pub fn ours(root: &Path) -> &'static [Source] {
        static OURS: OnceLock<Vec<Source>> = OnceLock::new();
        OURS.get_or_init(|| Source::all(root, "src"))
    }

    /// Returns the sources of the tests, read once for all rules.
    pub fn tests(root: &Path) -> &'static [Source] {
        static TESTS: OnceLock<Vec<Source>> = OnceLock::new();
        TESTS.get_or_init(|| Source::all(root, "tests"))
    }

    /// Reads all Rust files of a folder.
    fn all(root: &Path, folder: &str) -> Vec<Source> {
        let mut entries: Vec<_> =
            fs::read_dir(root.join(folder)).unwrap().map(|e| e.unwrap().path()).collect();
        entries.sort();
        let mut all = Vec::new();
        for entry in entries {
            let path = format!("{folder}/{}", entry.file_name().unwrap().to_str().unwrap());
            if entry.is_dir() {
                all.extend(Source::all(root, &path));
            } else if path.ends_with(".rs") {
                all.push(Source::read(root, &path));
            }
        }
        all
    }

    /// Returns the path within the file's crate, as in `model/seq.rs`.
    pub fn place(&self) -> &str {
        let inside = self.path.strip_prefix("src/").unwrap_or(&self.path);
        match inside.split_once('/') {
            Some((name, place)) if CRATES.contains(&name) => place,
            _ => inside,
        }
    }

    /// Returns the folder of the file's crate; `None` for the program.
    pub fn member(&self) -> Option<&str> {
        let name = self.path.strip_prefix("src/")?.split_once('/')?.0;
        CRATES.contains(&name).then_some(name)
    }

    /// Returns the top-level module of the file; `None` for the roots of the crates.
    pub fn room(&self) -> Option<&str> {
        let place = self.path.starts_with("src/").then(|| self.place())?;
        match place.split_once('/') {
            Some((room, _)) => Some(room),
            None => place.strip_suffix(".rs").filter(|name| !["main", "lib"].contains(name)),
        }
    }

    /// Returns the last component of the path.
    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Returns the file without its tests: without `#[cfg(test)]` items; empty for a `tests.rs`.
    pub fn without_tests(&self) -> &Source {
        self.bare.get_or_init(|| {
            Box::new(Source::from_parts(&self.path, &self.raw, self.code_without_tests()))
        })
    }

    fn code_without_tests(&self) -> String {
        let mut code = self.code.clone();
        if self.file_name() == "tests.rs" {
            code.clear();
        }
        while let Some(start) = code.find("#[cfg(test)]") {
            let end = start + end_of_item(&code[start..]);
            code.replace_range(start..end, &blanked(&code[start..end]));
        }
        code
    }

    /// Returns the content with comments and literals replaced by blanks.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Returns the modules declared by the file.
    pub fn declared_rooms(&self) -> Vec<Found> {
        let lines = self.code.lines().enumerate();
        lines
            .filter_map(|(at, line)| {
                let name = line.trim().trim_start_matches("pub ").strip_prefix("mod ")?;
                Some(Found { line: at + 1, text: name.trim_end_matches(';').into() })
            })
            .collect()
    }

    /// Returns the path of the file's module; `None` for the roots of the crates.
    pub fn module(&self) -> Option<String> {
        self.room()?;
        let inside = self.place().strip_suffix(".rs")?;
        Some(inside.strip_suffix("/mod").unwrap_or(inside).replace('/', "::"))
    }

    /// Returns the paths that the file re-exports with `pub use`.
    pub fn handed_on(&self) -> Vec<String> {
        let tokens = self.tokens();
        let is = |at: usize, text: &str| tokens.get(at).is_some_and(|t| t.text == text);
        let mut found = Vec::new();
        for start in (0..tokens.len()).filter(|at| is(*at, "pub")) {
            // `pub use`, `pub(crate) use`
            let Some(mut at) = [1, 4].map(|n| start + n).into_iter().find(|at| is(*at, "use"))
            else {
                continue;
            };
            at += 1;
            path(tokens, &mut at, "", &mut found);
        }
        found.into_iter().map(|f| f.text).collect()
    }

    /// Returns the crate's own paths that the file imports without re-exporting them.
    pub fn brought_in(&self) -> Vec<Found> {
        let tokens = self.tokens();
        let before = |at: usize, n: usize| at.checked_sub(n).map_or("", |at| &tokens[at].text);
        let rooms = self.declared_rooms();
        let own = |path: &str| {
            let first = path.split("::").next().unwrap_or_default();
            ["crate", "super", "self"].contains(&first)
                || rooms.iter().any(|found| found.text == first)
        };
        let mut found = Vec::new();
        for start in (0..tokens.len()).filter(|at| tokens[*at].text == "use") {
            if before(start, 1) != "pub" && before(start, 4) != "pub" {
                path(tokens, &mut (start + 1), "", &mut found);
            }
        }
        found.retain(|found| own(&found.text));
        found
    }

    /// Returns the public types declared by the file, with their lines.
    pub fn public_types(&self) -> Vec<Found> {
        const KINDS: [&str; 5] = ["struct", "enum", "trait", "type", "union"];
        let tokens = self.tokens();
        let mut types = Vec::new();
        for start in (0..tokens.len()).filter(|at| tokens[*at].text == "pub") {
            let visible = match tokens.get(start + 1) {
                Some(token) if token.text == "(" => {
                    tokens[start..].iter().position(|t| t.text == ")").map_or(0, |at| at + 1)
                }
                _ => 1,
            };
            if let [kind, name, ..] = &tokens[start + visible..]
                && KINDS.contains(&kind.text.as_str())
            {
                types.push(Found { line: name.line, text: name.text.clone() });
            }
        }
        types
    }

    /// Returns the names of the items declared by the file.
    pub fn declared_names(&self) -> BTreeSet<String> {
        const KINDS: [&str; 9] =
            ["struct", "enum", "fn", "const", "static", "type", "trait", "union", "macro_rules"];
        let tokens = self.tokens();
        let named = tokens.windows(2).filter(|w| KINDS.contains(&w[0].text.as_str()));
        named.map(|w| w[1].text.clone()).collect()
    }

    /// Returns the occurrences of any of `texts`.
    pub fn texts(&self, texts: &[&str]) -> Vec<Found> {
        let mut found = Vec::new();
        for (at, line) in self.code.lines().enumerate() {
            let here = texts.iter().filter(|text| line.contains(**text));
            found.extend(here.map(|text| Found { line: at + 1, text: (*text).into() }));
        }
        found
    }

    /// Returns the string literals outside the tests, with escapes resolved.
    pub fn literals(&self) -> Vec<Found> {
        let tests = self.raw.find("#[cfg(test)]\nmod tests {").unwrap_or(self.raw.len());
        let end = if self.file_name() == "tests.rs" { 0 } else { tests };
        let last = self.raw[..end].lines().count();
        let here = self.pieces().iter().filter(|f| f.line <= last);
        here.filter_map(|f| Some(Found { line: f.line, text: content(&f.text)? })).collect()
    }

    /// Returns the comments of the file, including those of its tests.
    pub fn comments(&self) -> Vec<Found> {
        let is_comment = |f: &&Found| f.text.starts_with("//") || f.text.starts_with("/*");
        self.pieces().iter().filter(is_comment).cloned().collect()
    }

    /// Returns the comments and literals, unchanged.
    fn pieces(&self) -> &[Found] {
        self.pieces.get_or_init(|| pieces(&self.raw))
    }

    /// Returns the words, `::` and single characters of the code.
    fn tokens(&self) -> &[Found] {
        self.tokens.get_or_init(|| tokens(&self.code))
    }

    /// Returns every path with its line, expanding `a::{b, c::d}` to `a::b` and `a::c::d`.
    pub fn paths(&self) -> &[Found] {
        self.paths.get_or_init(|| self.found_paths())
    }

    fn found_paths(&self) -> Vec<Found> {
        let tokens = self.tokens();
        let mut found = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let before = at;
            path(tokens, &mut at, "", &mut found);
            at = at.max(before + 1);
        }
        found
    }
}

/// Parses one path at `at`, with `prefix` before it.
fn path(tokens: &[Found], at: &mut usize, prefix: &str, found: &mut Vec<Found>) {
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|t| t.text == text);
    let mut whole = prefix.to_owned();
    while let Some(token) = tokens.get(*at).filter(|t| is_word(&t.text)) {
        whole += &token.text;
        *at += 1;
        if !is(*at, "::") {
            found.push(Found { line: token.line, text: whole });
            return;
        }
        whole += "::";
        *at += 1;
    }
    if whole.is_empty() {
        return;
    }
    if !is(*at, "{") {
        // `a::*`, `a::<T>`
        let line = tokens.get(at.saturating_sub(1)).map_or(1, |t| t.line);
        found.push(Found { line, text: whole.trim_end_matches(':').into() });
        return;
    }
    *at += 1;
    while *at < tokens.len() && !is(*at, "}") {
        let before = *at;
        path(tokens, at, &whole, found);
        if is(*at, "as") {
            *at += 2;
        }
        if *at == before || is(*at, ",") {
            *at += 1;
        }
    }
    *at += 1;
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_') && token != "as"
}

/// Splits code into words, `::` and single characters.
fn tokens(code: &str) -> Vec<Found> {
    let mut tokens = Vec::new();
    for (n, text) in code.lines().enumerate() {
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let length = match rest {
                _ if word > 0 => word,
                _ if rest.starts_with("::") => 2,
                _ => first.len_utf8(),
            };
            tokens.push(Found { line: n + 1, text: rest[..length].into() });
            rest = rest[length..].trim_start();
        }
    }
    tokens
}

/// Returns the end of the item at the start of `code`: after its semicolon or its closing brace.
fn end_of_item(code: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in code.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return at + 1,
            '}' => depth -= 1,
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

fn blanked(code: &str) -> String {
    code.chars().map(|c| if c == '\n' { c } else { ' ' }).collect()
}

/// Returns the comments and literals, unchanged.
fn pieces(raw: &str) -> Vec<Found> {
    let mut pieces = Vec::new();
    let mut rest = raw;
    let mut line = 1;
    while let Some(first) = rest.chars().next() {
        let hidden = hidden_length(rest, first);
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let length = hidden.unwrap_or(word.max(first.len_utf8()));
        if hidden.is_some() {
            pieces.push(Found { line, text: rest[..length].into() });
        }
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    pieces
}

/// Returns the value of a string literal, with escapes resolved approximately; `None` for a character or a comment.
fn content(literal: &str) -> Option<String> {
    if literal.starts_with('/') || literal.starts_with('\'') {
        return None;
    }
    let open = literal.find('"')?;
    let body = literal[open + 1..].trim_end_matches('#');
    let body = body.strip_suffix('"').unwrap_or(body);
    if literal[..open].contains('r') {
        return Some(body.into());
    }
    let mut text = String::new();
    let mut chars = body.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, if c == '\\' { chars.next() } else { None }) {
            (_, None) => text.push(c),
            (_, Some('n')) => text.push('\n'),
            // the string continues on the next line
            (_, Some('\n')) => while chars.next_if(|c| c.is_whitespace()).is_some() {},
            (_, Some(escaped @ ('"' | '\\' | '\''))) => text.push(escaped),
            (_, Some(other)) => text.extend(['\\', other]),
        }
    }
    Some(text)
}

/// Returns the length of the comment or the literal that text begins with.
fn hidden_length(rest: &str, first: char) -> Option<usize> {
    // most characters begin neither
    let may = matches!(first, '/' | '"' | '\'' | 'r' | 'b' | 'c');
    if may { comment(rest).or_else(|| literal(rest)) } else { None }
}

/// Replaces comments, strings and characters by blanks, keeping all line breaks.
fn blank(raw: &str) -> String {
    let mut code = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(first) = rest.chars().next() {
        let hidden = hidden_length(rest, first);
        if let Some(length) = hidden {
            code += &blanked(&rest[..length]);
            rest = &rest[length..];
            continue;
        }
        // skip a whole word, so that the `r` of `var"` does not start a raw string
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let length = word.max(first.len_utf8());
        code += &rest[..length];
        rest = &rest[length..];
    }
    code
}

fn comment(rest: &str) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    let inside = rest.strip_prefix("/*")?;
    let mut depth = 1;
    let mut at = 0;
    while depth > 0 {
        let next = inside[at..].find("*/").map_or(inside.len(), |i| at + i);
        match inside[at..next].find("/*") {
            Some(i) => (depth, at) = (depth + 1, at + i + 2),
            None => (depth, at) = (depth - 1, (next + 2).min(inside.len())),
        }
        if at == inside.len() {
            break;
        }
    }
    Some(at + 2)
}

fn literal(rest: &str) -> Option<usize> {
    let prefix = ["br", "cr", "b", "c", "r", ""].into_iter().find(|p| {
        rest.strip_prefix(p).is_some_and(|r| {
            r.starts_with('"') || (p.ends_with('r') && r.trim_start_matches('#').starts_with('"'))
        })
    });
    if let Some(prefix) = prefix {
        let body = &rest[prefix.len()..];
        if prefix.ends_with('r') {
            let hashes = body.len() - body.trim_start_matches('#').len();
            let end = format!("\"{}", "#".repeat(hashes));
            let from = hashes + 1;
            let close = body[from..].find(&end).map_or(body.len(), |i| from + i + end.len());
            return Some(prefix.len() + close);
        }
        return Some(prefix.len() + quoted(body, '"'));
    }
    // a character, not a lifetime
    let mut chars = rest.strip_prefix('\'')?.chars();
    let first = chars.next()?;
    (first == '\\' || chars.next() == Some('\'')).then(|| quoted(rest, '\''))
}

fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + quote.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}
