//! The rules about words in sources: a table of patterns with their places in `rules.toml`, and a few of more than words.

use crate::source::{Part, Source};
use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Methods that compare a text with their argument.
const COMPARES: [&str; 14] = [
    "starts_with",
    "ends_with",
    "contains",
    "strip_prefix",
    "strip_suffix",
    "split_once",
    "rsplit_once",
    "find",
    "rfind",
    "split",
    "trim_start_matches",
    "trim_end_matches",
    "matches",
    "eq",
];

/// Subject of a pattern, explained in `rules.toml`.
#[derive(Clone, Copy, Default, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
enum Of {
    #[default]
    Paths,
    Program,
    Tests,
    Code,
    Literals,
    Strings,
    Compared,
    Sentences,
    Texts,
}

/// A row of the table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    name: String,
    #[serde(default)]
    of: Of,
    #[serde(default = "program")]
    within: Vec<String>,
    pattern: String,
    #[serde(default)]
    places: Vec<String>,
    #[serde(default)]
    most: usize,
    #[serde(default)]
    share: usize,
    fix: String,
}

/// A word of a feature, explained in `rules.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeatureWord {
    pub name: String,
    pattern: String,
    apart: Vec<String>,
    pub modules: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    rule: Vec<Rule>,
    word: Vec<FeatureWord>,
    phrases: BTreeMap<String, String>,
}

/// A broken rule.
#[derive(Clone, Debug)]
pub struct Fault {
    pub rule: String,
    pub path: String,
    pub line: usize,
    pub text: String,
}

/// The parts of a file that a pattern is matched with, one a line.
struct Subject<'a> {
    source: &'a Source,
    parts: Vec<Part>,
    text: String,
}

impl Fault {
    pub fn new(rule: &str, source: &Source, line: usize, what: String, fix: &str) -> Fault {
        let text = format!("{}:{line}: {rule}: {what}; fix: {fix}", source.path);
        Fault { rule: rule.into(), path: source.path.clone(), line, text }
    }
}

fn program() -> Vec<String> {
    vec!["src".into()]
}

/// Returns the table of `rules.toml`.
fn table() -> Table {
    toml::from_str(include_str!("rules.toml")).unwrap()
}

/// The rules of the table, with one for each phrase.
static RULES: LazyLock<Vec<(Rule, Regex)>> = LazyLock::new(|| {
    let mut table = table();
    table.rule.extend(table.phrases.iter().map(|(phrase, instead)| Rule {
        name: "phrase".into(),
        of: Of::Texts,
        within: ["src", "assets", "README.md"].map(String::from).into(),
        pattern: format!(r"\b({phrase})\b"),
        places: vec![],
        most: 0,
        share: 0,
        fix: instead.clone(),
    }));
    let compiled = table.rule.into_iter().map(|rule| {
        let regex = rule.regex();
        (rule, regex)
    });
    compiled.collect()
});

/// Returns the words of features.
pub fn feature_words() -> Vec<FeatureWord> {
    table().word
}

impl FeatureWord {
    /// Returns the modules that know the word, each with a place that has it.
    pub fn known_by(&self, sources: &[Source]) -> BTreeMap<String, String> {
        let part = Regex::new("[A-Z]?[a-z]+|[A-Z]+").unwrap();
        let pattern = Regex::new(&format!("(?i)^({})$", self.pattern)).unwrap();
        let mut known = BTreeMap::new();
        for source in sources {
            let is_apart = self.apart.iter().any(|place| source.is_at(place));
            let Some(module) = source.module() else { continue };
            if is_apart {
                continue;
            }
            let module = module.split("::").next().unwrap().to_owned();
            let code = source.tokens.iter().filter(|t| !t.of_test && !t.text.starts_with('"'));
            let has_word =
                |t: &&Part| part.find_iter(&t.text).any(|p| pattern.is_match(p.as_str()));
            if let Some(token) = code.into_iter().find(has_word) {
                known
                    .entry(module)
                    .or_insert(format!("{}:{}: {}", source.path, token.line, token.text));
            }
        }
        known
    }
}

/// Returns the names of all rules.
pub fn names() -> BTreeSet<String> {
    let others = ["circle of modules", "circle of folders", "circle of files", "shared names"];
    let others = others.into_iter().chain(["tuple parameters", "ignored"]).map(str::to_owned);
    RULES.iter().map(|(rule, _)| rule.name.clone()).chain(others).collect()
}

/// Finds the faults by the table. With `is_all`, files that are a place without need are faults as well.
pub fn find(sources: &[Source], is_all: bool) -> Vec<Fault> {
    let mut subjects = BTreeMap::new();
    let mut faults = vec![];
    for (rule, pattern) in RULES.iter() {
        let subjects = subjects.entry(rule.of).or_insert_with(|| rule.of.subjects(sources));
        let unused = rule.check(pattern, subjects, &mut faults);
        if is_all && !unused.is_empty() {
            let text = format!("rules.toml: {}: remove the places {unused:?}", rule.name);
            faults.push(Fault { rule: rule.name.clone(), path: String::new(), line: 0, text });
        }
    }
    faults
}

impl Rule {
    fn regex(&self) -> Regex {
        let pattern = match self.of {
            Of::Paths => format!("(^|::)({})(::|$)", self.pattern),
            _ => self.pattern.clone(),
        };
        let is_prose = matches!(self.of, Of::Sentences | Of::Texts);
        let mut pattern = RegexBuilder::new(&pattern);
        pattern.multi_line(true).case_insensitive(is_prose).build().unwrap()
    }

    /// Finds the matches in other places; returns the files among the places that no match needs.
    fn check<'a>(
        &'a self,
        pattern: &Regex,
        subjects: &[Subject],
        faults: &mut Vec<Fault>,
    ) -> BTreeSet<&'a str> {
        let files = self.places.iter().filter(|place| place.contains(".rs"));
        let mut unused: BTreeSet<&str> = files.map(String::as_str).collect();
        for folder in &self.within {
            let within = || subjects.iter().filter(|subject| subject.source.is_at(folder));
            let total: usize = within().map(|subject| subject.parts.len()).sum();
            let found: Vec<_> = within()
                .flat_map(|subject| self.misplaced(subject, pattern, &mut unused))
                .collect();
            if found.len() > self.most + self.share * total / 1000 {
                faults.extend(found);
            }
        }
        unused
    }

    /// Finds the matches in other places; removes the places that allow a match from `unused`.
    fn misplaced(
        &self,
        subject: &Subject,
        pattern: &Regex,
        unused: &mut BTreeSet<&str>,
    ) -> Vec<Fault> {
        let Subject { source, parts, text } = subject;
        let starts = pattern.find_iter(text).map(|found| found.start());
        let hits: BTreeSet<usize> =
            starts.map(|start| text[..start].matches('\n').count()).collect();
        let mut faults = vec![];
        for Part { line, text, .. } in hits.into_iter().map(|at| &parts[at]) {
            let allows = |place: &&String| {
                let (place, part) = place.split_once('=').unwrap_or((place, ""));
                source.is_at(place) && text.contains(part)
            };
            match self.places.iter().find(allows) {
                Some(place) => drop(unused.remove(place.as_str())),
                None => {
                    let text = format!("`{}`", text.trim());
                    faults.push(Fault::new(&self.name, source, *line, text, &self.fix));
                }
            }
        }
        faults
    }
}

impl Of {
    fn subjects(self, sources: &[Source]) -> Vec<Subject<'_>> {
        let subject = |source| {
            let parts = self.parts(source);
            let text = parts.iter().map(|part| part.text.replace('\n', " ") + "\n").collect();
            Subject { source, parts, text }
        };
        sources.iter().map(subject).collect()
    }

    fn parts(self, source: &Source) -> Vec<Part> {
        let lines = source.lines.iter().cloned();
        let is_ours = |part: &Part| !part.of_test;
        match self {
            Of::Paths => source.paths().into_iter().filter(is_ours).collect(),
            Of::Program => lines.filter(is_ours).collect(),
            Of::Tests => lines.filter(|line| line.of_test).collect(),
            Of::Code => lines.collect(),
            Of::Literals => source.literals().filter(is_ours).collect(),
            Of::Strings => source.literals().collect(),
            Of::Compared => compared(source),
            Of::Sentences => source.sentences(),
            Of::Texts => {
                source.literals().filter(is_ours).chain(source.comments.iter().cloned()).collect()
            }
        }
    }
}

/// Returns the literals that the program compares texts with.
fn compared(source: &Source) -> Vec<Part> {
    let is_compared = |at: usize| {
        let before = |n: usize| at.checked_sub(n).map_or("", |at| &source.tokens[at].text);
        match before(1) {
            "=" => ["=", "!"].contains(&before(2)),
            "(" => COMPARES.contains(&before(2)) && before(3) == ".",
            _ => false,
        }
    };
    let literals =
        source.tokens.iter().enumerate().filter(|(_, token)| token.text.starts_with('"'));
    let compared = literals.filter(|(at, token)| !token.of_test && is_compared(*at));
    compared.map(|(_, token)| token.clone()).collect()
}

/// Finds public types that share a name and are imported without their module; `io::Error` is always qualified.
pub fn shared_names(sources: &[Source]) -> Vec<Fault> {
    const TYPES: [&str; 5] = ["struct", "enum", "trait", "type", "union"];
    let mut places: BTreeMap<&str, Vec<(&Source, usize)>> = BTreeMap::new();
    let mut users: BTreeMap<String, String> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.is_at("src")) {
        for item in source.items().filter(|item| TYPES.contains(&item.kind) && item.is_public) {
            if !item.name.of_test {
                places.entry(&item.name.text).or_default().push((source, item.name.line));
            }
        }
        let modules = source.items().filter(|item| item.kind == "mod").map(|item| &*item.name.text);
        let ours: BTreeSet<&str> = modules.chain(["crate", "super", "self"]).collect();
        for import in source.imports(false) {
            let (first, _) = import.text.split_once("::").unwrap_or((&import.text, ""));
            if let (true, Some(name)) = (ours.contains(first), import.text.rsplit("::").next()) {
                users.entry(name.into()).or_insert(format!("{}:{}", source.path, import.line));
            }
        }
    }
    let twice = places.into_iter().filter(|(_, places)| places.len() > 1);
    let used = twice.filter_map(|(name, places)| Some((name, places, users.get(name)?)));
    let faults = used.flat_map(|(name, places, user)| {
        let fix = "rename it, or write it with its module's name everywhere";
        places.into_iter().map(move |(source, line)| {
            let what = format!("several are named `{name}`, which {user} uses bare");
            Fault::new("shared names", source, line, what, fix)
        })
    });
    faults.collect()
}

/// Finds functions that take a tuple, as a pattern or a type, except those whose parameters a trait defines.
pub fn tuple_parameters(sources: &[Source]) -> Vec<Fault> {
    let mut faults = vec![];
    for source in sources {
        let functions = source.items().enumerate().filter(|(_, item)| item.kind == "fn");
        for (_, item) in
            functions.filter(|(_, item)| !["from", "try_from"].contains(&&*item.name.text))
        {
            if takes_tuple(source, item.at + 2) {
                let what = format!("`{}` takes a tuple", item.name.text);
                let fix = "give each value a parameter of its own, or define a struct";
                faults.push(Fault::new("tuple parameters", source, item.name.line, what, fix));
            }
        }
    }
    faults
}

/// Returns whether the generics and parameters from a token on have a tuple at the start of a pattern or type.
fn takes_tuple(source: &Source, start: usize) -> bool {
    let mut depth = 0_usize;
    let mut is_start = false;
    let mut before = "";
    for (at, token) in source.tokens.iter().enumerate().skip(start) {
        match token.text.as_str() {
            "(" if is_start && !source.is(at + 1, ")") => return true,
            ")" if depth == 1 => return false,
            "(" | "[" | "{" | "<" => {
                is_start = depth == 0;
                depth += 1;
            }
            ")" | "]" | "}" => depth -= 1,
            ">" if before != "-" => depth -= 1,
            "," | ":" => is_start = depth == 1,
            "mut" | "&" => {}
            _ => is_start = false,
        }
        before = &token.text;
    }
    false
}

/// Finds ignored tests that do not name the command or the test that runs them.
pub fn unexplained(sources: &[Source]) -> Vec<Fault> {
    let fix = "#[ignore = \"why: cargo test --release --test FILE NAME -- --ignored\"]";
    let mut faults = vec![];
    for source in sources.iter().filter(|source| source.is_at("tests")) {
        for (at, token) in source.tokens.iter().enumerate().skip(2) {
            let is_ignored = token.text == "ignore" && source.is(at - 2, "#");
            if is_ignored
                && !source.tokens.get(at + 2).is_some_and(|why| why.text.contains(" test"))
            {
                let what = "it does not say how it is run".into();
                faults.push(Fault::new("ignored", source, token.line, what, fix));
            }
        }
    }
    faults
}
