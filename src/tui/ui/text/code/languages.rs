//! The syntax definitions, and syntax highlighting.

use crate::ui::theme::{Theme, ThemeRole};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::sync::{Once, OnceLock};
use std::thread;
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};
use syntect::util::LinesWithEndings;

static LANGUAGES: OnceLock<SyntaxSet> = OnceLock::new();
static LOADING: Once = Once::new();

/// Roles by scope; the first match counts.
const LOOKS: &[(&str, ThemeRole)] = &[
    ("comment", ThemeRole::CodeComment),
    ("string", ThemeRole::CodeString),
    ("constant.numeric", ThemeRole::CodeNumber),
    ("constant", ThemeRole::CodeNumber),
    ("entity.name.function", ThemeRole::CodeFunction),
    ("support.function", ThemeRole::CodeFunction),
    ("entity.name", ThemeRole::CodeType),
    ("support.type", ThemeRole::CodeType),
    ("storage", ThemeRole::CodeKeyword),
    ("keyword.operator", ThemeRole::MdCode),
    ("keyword", ThemeRole::CodeKeyword),
];

/// Returns whether the syntax definitions are loaded.
pub fn ready() -> bool {
    LANGUAGES.get().is_some()
}

/// Returns the lines of some code in the colours of a language; `None` if it is unknown or not loaded yet.
pub(super) fn coloured(code: &str, language: &str, theme: &Theme) -> Option<Vec<Line<'static>>> {
    let Some(languages) = LANGUAGES.get() else {
        LOADING.call_once(|| {
            // without the syntax definitions code stays in one colour
            let _ = thread::Builder::new()
                .name("languages".into())
                .spawn(|| LANGUAGES.get_or_init(two_face::syntax::extra_newlines));
        });
        return None;
    };
    let syntax = languages.find_syntax_by_token(language)?;
    let looks: Vec<(Scope, ThemeRole)> =
        LOOKS.iter().filter_map(|(name, role)| Some((Scope::new(name).ok()?, *role))).collect();
    let mut state = ParseState::new(syntax);
    let mut scopes = ScopeStack::new();
    let mut coloured = Vec::new();
    for line in LinesWithEndings::from(code) {
        let changes = state.parse_line(line, languages).ok()?;
        let mut spans: Vec<Span<'static>> = Vec::new();
        let mut from = 0;
        for (at, change) in changes {
            push(&mut spans, &line[from..at], style(&scopes, &looks, theme));
            from = at;
            scopes.apply(&change).ok()?;
        }
        push(&mut spans, &line[from..], style(&scopes, &looks, theme));
        coloured.push(Line::from(spans));
    }
    Some(coloured)
}

fn push(spans: &mut Vec<Span<'static>>, text: &str, style: Style) {
    let text = text.trim_end_matches(['\n', '\r']);
    if !text.is_empty() {
        spans.push(Span::styled(text.to_owned(), style));
    }
}

/// Returns the style of the innermost scope that has a role.
fn style(scopes: &ScopeStack, looks: &[(Scope, ThemeRole)], theme: &Theme) -> Style {
    let known = scopes.scopes.iter().rev().find_map(|scope| {
        looks.iter().find(|(look, _)| look.is_prefix_of(*scope)).map(|(_, role)| *role)
    });
    theme.style(known.unwrap_or(ThemeRole::MdCode))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::{Depth, ThemeLibrary};

    #[test]
    fn parts_of_a_language_look_different_and_no_character_is_lost() {
        LANGUAGES.get_or_init(two_face::syntax::extra_newlines);
        let theme = ThemeLibrary::default();
        let theme = theme.theme("colloquium-dark", None, Depth::True).unwrap();
        let code = "fn main() {\n    // say\n    let x = \"hi\"; return 12;\n}\n";
        let lines = coloured(code, "rust", &theme).unwrap();
        let text: String = lines.iter().map(|l| l.to_string() + "\n").collect();
        assert_eq!(text, code);
        let look = |words: &str| {
            let spans = lines.iter().flat_map(|l| &l.spans);
            spans.filter(|s| s.content.contains(words)).map(|s| s.style).next().unwrap()
        };
        for (words, role) in [
            ("say", ThemeRole::CodeComment),
            ("hi", ThemeRole::CodeString),
            ("12", ThemeRole::CodeNumber),
            ("return", ThemeRole::CodeKeyword),
        ] {
            assert_eq!(look(words), theme.style(role), "{words}");
        }
    }
}
