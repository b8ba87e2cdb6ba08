//! Code in its colours: which part of a line is a word of the language, a string, a number, a comment or a name.
//!
//! The tables of languages take a while to load, so they are loaded on a thread of their own when the first block of code
//! is shown, which stands in one colour until then. What the parts look like is the theme's business.

use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::theme::{Theme, ThemeRole};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::sync::{Once, OnceLock};
use std::thread;
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};
use syntect::util::LinesWithEndings;

/// Lines of a block beyond which it stays in one colour: nobody reads it here, and it would hold up the frame.
const LINES_MAX: usize = 400;

static LANGUAGES: OnceLock<SyntaxSet> = OnceLock::new();
static LOADING: Once = Once::new();

/// Which parts of a scope look how; the first that fits counts.
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

/// Returns whether languages are known by now.
pub fn ready() -> bool {
    LANGUAGES.get().is_some()
}

/// Returns the lines of a block of code in the colours of its language, as far as that is known.
pub fn lines(code: &str, language: &str, theme: &Theme) -> Vec<Line<'static>> {
    let plain =
        || code.lines().map(|line| Line::styled(line.to_owned(), theme.style(ThemeRole::MdCode)));
    if language.is_empty() || code.lines().count() > LINES_MAX {
        return plain().collect();
    }
    let Some(languages) = LANGUAGES.get() else {
        LOADING.call_once(|| {
            // without the tables code stays in one colour
            let _ = thread::Builder::new()
                .name("languages".into())
                .spawn(|| LANGUAGES.get_or_init(two_face::syntax::extra_newlines));
        });
        return plain().collect();
    };
    let Some(syntax) = languages.find_syntax_by_token(language) else { return plain().collect() };
    let looks: Vec<(Scope, ThemeRole)> =
        LOOKS.iter().filter_map(|(name, role)| Some((Scope::new(name).ok()?, *role))).collect();
    let (mut state, mut scopes) = (ParseState::new(syntax), ScopeStack::new());
    let mut coloured = Vec::new();
    for line in LinesWithEndings::from(code) {
        let Ok(changes) = state.parse_line(line, languages) else { return plain().collect() };
        let mut spans: Vec<Span<'static>> = Vec::new();
        let mut from = 0;
        for (at, change) in changes {
            push(&mut spans, &line[from..at], style(&scopes, &looks, theme));
            from = at;
            if scopes.apply(&change).is_err() {
                return plain().collect();
            }
        }
        push(&mut spans, &line[from..], style(&scopes, &looks, theme));
        coloured.push(Line::from(spans));
    }
    coloured
}

/// Returns lines of code in a frame that names the language and the number of the block; they fit into `room` cells.
pub fn frame(
    lines: Vec<Line<'static>>,
    (language, number): (&str, usize),
    room: usize,
    theme: &Theme,
    glyphs: &Glyphs,
) -> Vec<Line<'static>> {
    let (edge, ground) = (theme.style(ThemeRole::Rule), theme.style(ThemeRole::CodeGround));
    let muted = theme.style(ThemeRole::Muted);
    let [top_left, top_right, bottom_left, bottom_right] = glyphs.corners;
    let end = format!(" c{number} ");
    let name = match clip(language, room.saturating_sub(end.len() + 2), glyphs.ellipsis) {
        name if name.is_empty() => String::new(),
        name => format!(" {name} "),
    };
    let widest = lines.iter().map(Line::width).max().unwrap_or(0);
    let inside = widest.max(width(&name) + end.len()).min(room);
    let gap = glyphs.rule.repeat((inside + 1).saturating_sub(width(&name) + end.len()));
    let mut framed = vec![Line::from(vec![
        Span::styled(format!("{top_left}{}", glyphs.rule), edge),
        Span::styled(name, muted),
        Span::styled(gap, edge),
        Span::styled(end, muted),
        Span::styled(top_right, edge),
    ])];
    for mut line in lines {
        let gap = " ".repeat(inside.saturating_sub(line.width()));
        line.spans.iter_mut().for_each(|span| span.style = ground.patch(span.style));
        line.spans.insert(0, Span::styled(format!("{} ", glyphs.wall), ground.patch(edge)));
        line.spans.push(Span::styled(format!("{gap} {}", glyphs.wall), ground.patch(edge)));
        framed.push(line);
    }
    let bottom = format!("{bottom_left}{}{bottom_right}", glyphs.rule.repeat(inside + 2));
    framed.push(Line::styled(bottom, edge));
    framed
}

fn push(spans: &mut Vec<Span<'static>>, text: &str, style: Style) {
    let text = text.trim_end_matches(['\n', '\r']);
    if !text.is_empty() {
        spans.push(Span::styled(text.to_owned(), style));
    }
}

/// How the innermost scope that a look is known for looks.
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
        let lines = lines(code, "rust", &theme);
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
