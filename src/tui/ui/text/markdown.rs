//! Messages as rows: sanitised, parsed as Markdown, and wrapped at the width of the column.
//!
//! On the screen code has a frame with the number for the key that copies it; plain-text copies omit the frames.
//!
//! The text is sanitised before parsing and again after it, because an entity such as `&#27;` becomes a character only
//! in the parser. The source stays in the log; copies are made from that, never from here.

use crate::text;
use crate::ui::text::wrap::wrap;
use crate::ui::text::{code, links, tables};
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::theme::{Theme, ThemeRole};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use tui_markdown::{AlertKind, Options, StyleSheet};

/// Styles of the theme for the Markdown renderer.
#[derive(Clone)]
struct Sheet {
    heading: Style,
    code: Style,
    link: Style,
    quote: Style,
    muted: Style,
    rule: Style,
}

/// Declares the elements of a message that have one of the styles of a [`Sheet`].
macro_rules! styles {
    ($($element:ident: $style:ident,)+) => {
        $(fn $element(&self) -> Style { self.$style })+
    };
}

impl StyleSheet for Sheet {
    fn heading(&self, level: u8) -> Style {
        match level {
            1 => self.heading.add_modifier(Modifier::UNDERLINED),
            2 => self.heading,
            _ => self.heading.remove_modifier(Modifier::BOLD).add_modifier(Modifier::ITALIC),
        }
    }
    fn heading_marker(&self, _: u8) -> &str {
        ""
    }
    fn code_block_fence(&self) -> &str {
        ""
    }
    fn alert(&self, _: AlertKind) -> Style {
        self.quote
    }
    fn definition_description(&self) -> Style {
        Style::new()
    }
    fn table_cell(&self) -> Style {
        Style::new()
    }
    styles! {
        code: code, math_inline: code, math_display: code, link: link, image_alt: link,
        heading_meta: muted, metadata_block: muted, html: muted, footnote_ref: muted,
        footnote_def: muted, list_marker: muted, blockquote: quote, table_border: rule,
        definition_term: heading, table_header: heading,
    }
}

/// Characters of the frames of code blocks, and the number of the first block.
#[derive(Clone, Copy)]
pub struct CodeFrames {
    /// Character set of the frames.
    pub glyphs: &'static Glyphs,
    /// Number of the first block, from 1.
    pub from: usize,
}

/// Returns the rows of a message at a width in cells, without frames.
pub fn rows(said: &str, room: usize, theme: &Theme) -> Vec<Line<'static>> {
    laid(said, room, theme, None)
}

/// Returns the rows of a message as on the screen: its code blocks have frames, and the colours of their languages.
pub fn framed(said: &str, room: usize, theme: &Theme, frames: CodeFrames) -> Vec<Line<'static>> {
    laid(said, room, theme, Some(frames))
}

fn laid(said: &str, room: usize, theme: &Theme, frames: Option<CodeFrames>) -> Vec<Line<'static>> {
    let safe = text::block(said);
    if is_prose(safe.trim_end()) {
        return wrap(&Line::styled(safe.trim_end(), theme.style(ThemeRole::Text)), room);
    }
    let mut rows = Vec::new();
    let mut number = frames.map_or(1, |frames| frames.from);
    for part in links::parts(safe.trim_end()) {
        match part {
            links::MessagePart::Words(words) => {
                // keep the original number of blank lines between code and text
                let before = words.lines().take_while(|l| !rows.is_empty() && l.trim().is_empty());
                rows.extend(before.map(|_| Line::default()).collect::<Vec<_>>());
                rows.extend(read(words, room, theme, frames));
            }
            links::MessagePart::Code { language, code } => {
                let lines = code::lines(&code, language, theme);
                let lines = lines.iter().map(|line| made_safe(line, Style::new()));
                let frame = if room >= FRAME_MIN { frames } else { None };
                let inside = if frame.is_some() { room - FRAME_AROUND } else { room };
                let lines = lines.flat_map(|line| wrap(&line, inside)).collect();
                rows.extend(match frame {
                    Some(CodeFrames { glyphs, .. }) => {
                        code::frame(lines, language, number, inside, theme, glyphs)
                    }
                    None => lines,
                });
                number += 1;
            }
        }
    }
    rows
}

/// Returns whether a text is one paragraph without any Markdown; most messages are while they are streamed.
fn is_prose(said: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b" ,.;:?!'\"()/%-".contains(&b);
    said.starts_with(|c: char| c.is_ascii_alphabetic()) && said.bytes().all(plain)
}

/// Minimum cells at which code has a frame.
const FRAME_MIN: usize = 16;
/// Cells of a frame beside the code.
const FRAME_AROUND: usize = 4;

/// Parses a text as Markdown.
fn read(words: &str, room: usize, theme: &Theme, frames: Option<CodeFrames>) -> Vec<Line<'static>> {
    let code = theme.style(ThemeRole::MdCode);
    let code = match (frames, theme.has_code_ground()) {
        (Some(_), true) => code.patch(theme.style(ThemeRole::CodeGround)),
        // marks the text that gets its backticks back; nothing is ever drawn hidden
        (Some(_), false) => code.add_modifier(Modifier::HIDDEN),
        (None, _) => code,
    };
    let sheet = Sheet {
        heading: theme.style(ThemeRole::MdHeading),
        code,
        link: theme.style(ThemeRole::MdLink),
        quote: theme.style(ThemeRole::MdQuote),
        muted: theme.style(ThemeRole::Muted),
        rule: theme.style(ThemeRole::Rule),
    };
    let table = u16::try_from(room).unwrap_or(u16::MAX);
    let kept = breaks_kept(&tables::stacked(words, room));
    let read =
        tui_markdown::from_str_with_options(&kept, &Options::new(sheet.clone()).table_width(table));
    let base = theme.style(ThemeRole::Text);
    let rule = frames.map(|frames| frames.glyphs.rule.repeat(room));
    let laid = read.lines.iter().flat_map(|line| match &rule {
        Some(rule) if is_rule(line) => {
            vec![Line::styled(rule.clone(), theme.style(ThemeRole::Rule))]
        }
        _ => {
            let line = ticked(made_safe(line, base));
            match frames {
                Some(frames) => wrap_marked(line, room, sheet.quote, frames.glyphs),
                None => wrap(&line, room),
            }
        }
    });
    let mut rows: Vec<_> = laid.collect();
    // keep the original number of blank lines between text and code
    let blank = |line: &&str| line.trim().is_empty();
    rows.extend(words.lines().rev().take_while(blank).map(|_| Line::default()));
    rows
}

/// Returns whether a line is only a rule.
fn is_rule(line: &Line<'_>) -> bool {
    let shown = line.to_string();
    let shown = shown.trim();
    shown.len() >= 3 && shown.bytes().all(|b| b == b'-')
}

/// Restores the backticks around inline code without a colour of its own.
fn ticked(mut line: Line<'static>) -> Line<'static> {
    for span in &mut line.spans {
        if span.style.add_modifier.contains(Modifier::HIDDEN) {
            span.style.add_modifier.remove(Modifier::HIDDEN);
            // an indented code line ends in `KEPT`, like every kept line, and needs no backticks
            if !span.content.ends_with(KEPT) {
                span.content = format!("`{}`", span.content).into();
            }
        }
    }
    line
}

/// End of a Markdown line whose line break is kept.
const KEPT: &str = "  ";

/// Returns Markdown in which line breaks are kept: in a verse or an address they are intended.
fn breaks_kept(said: &str) -> String {
    let mut fenced = false;
    let mut kept = String::with_capacity(said.len());
    for line in said.lines() {
        fenced ^= line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        // the renderer would drop the definition of a link, which may be an ordinary line
        let line = if !fenced && defines_link(line) {
            format!("\\{}", line.trim_start())
        } else if !fenced && let Some((number, rest)) = bracketed(line) {
            // the renderer would write a full stop in the place of the bracket
            format!("{number}\\){rest}")
        } else {
            line.to_owned()
        };
        kept.push_str(&line);
        if !fenced && !line.trim().is_empty() {
            kept.push_str(KEPT);
        }
        kept.push('\n');
    }
    kept
}

/// Returns the number and the rest of a line that begins with a number and a bracket. A nested list keeps its
/// indentation as Markdown draws it.
fn bracketed(line: &str) -> Option<(&str, &str)> {
    let (number, rest) = line.split_once(')')?;
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    (is_number && rest.starts_with(' ')).then_some((number, rest))
}

/// Returns whether Markdown treats a line as the definition of a link.
fn defines_link(line: &str) -> bool {
    let label =
        line.trim_start_matches(' ').strip_prefix('[').filter(|rest| !rest.starts_with('^'));
    label.is_some_and(|rest| rest.contains("]:"))
}

fn made_safe(line: &Line<'_>, base: Style) -> Line<'static> {
    let style = base.patch(line.style);
    let spans = line.spans.iter().map(|span| {
        let shown = text::line(&span.content).into_owned();
        Span::styled(shown, style.patch(span.style))
    });
    Line::from(spans.collect::<Vec<_>>())
}

/// Returns rows of text that is not Markdown, all in one style.
pub fn plain(said: &str, room: usize, style: Style) -> Vec<Line<'static>> {
    let safe = text::block(said);
    let no_tabs =
        |l: &str| if l.contains('\t') { text::line(l).into_owned() } else { l.to_owned() };
    safe.lines().flat_map(|l| wrap(&Line::styled(no_tabs(l), style), room)).collect()
}

/// Returns a style with bold added.
pub fn bold(style: Style) -> Style {
    style.add_modifier(Modifier::BOLD)
}

/// Returns a style without the underline that distinguishes later seats from earlier ones: for text that is not a name.
pub fn plainly(style: Style) -> Style {
    style.remove_modifier(Modifier::UNDERLINED)
}

/// Tasks in Markdown: open ones, then done ones.
const TASKS: [&str; 2] = ["- [ ] ", "- [x] "];

/// Breaks a line at a width. A quote keeps its bar on every row, in a style of its own; a task has a sign.
fn wrap_marked(
    mut line: Line<'static>,
    room: usize,
    bar: Style,
    glyphs: &Glyphs,
) -> Vec<Line<'static>> {
    let depth = line.spans.iter().take_while(|span| span.content == ">").count();
    line.spans.drain(..depth);
    sign_task(&mut line, glyphs);
    if depth == 0 {
        return wrap(&line, room);
    }
    // the blank between bar and text
    if let Some(first) = line.spans.first_mut().filter(|span| span.content.starts_with(' ')) {
        first.content = first.content[1..].to_owned().into();
    }
    let lead = format!("{} ", glyphs.wall).repeat(depth);
    let inside = room.saturating_sub(2 * depth);
    let rows = wrap(&line, inside).into_iter();
    rows.map(|mut row| {
        row.spans.insert(0, Span::styled(lead.clone(), bar));
        row
    })
    .collect()
}

/// Replaces the bullet and the box of a task by a sign.
fn sign_task(line: &mut Line<'static>, glyphs: &Glyphs) {
    let text: String = line.spans.iter().map(|span| &*span.content).collect();
    let inside = text.trim_start();
    let Some(done) = TASKS.iter().position(|mark| inside.starts_with(mark)) else { return };
    let indent = text.len() - inside.len();
    let style = line.spans.first().map_or(line.style, |span| span.style);
    let mut left = indent + TASKS[done].len();
    for span in &mut line.spans {
        let cut = left.min(span.content.len());
        span.content = span.content[cut..].to_owned().into();
        left -= cut;
    }
    let sign = format!("{}{} ", &text[..indent], glyphs.tasks[done]);
    line.spans.insert(0, Span::styled(sign, style));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::text::markdown::{CodeFrames, framed};
    use crate::ui::theme::Theme;
    use crate::ui::theme::glyphs::{ASCII, Glyphs, UNICODE};

    fn check(said: &str, room: usize, expected: &[&str]) {
        let theme = Theme::default();
        let shown: Vec<String> =
            rows(said, room, &theme).iter().map(|l| l.to_string().trim_end().to_owned()).collect();
        assert_eq!(shown, expected, "{said:?}");
    }

    #[test]
    fn a_message_reads_as_it_was_meant() {
        check("one **two** three", 40, &["one two three"]);
        check("one\n\ntwo", 40, &["one", "", "two"]);
        check("one\ntwo", 40, &["one", "two"]);
        check(
            "one\n\n```x\n  a  b\n\n c\n```\n\ntwo",
            40,
            &["one", "", "  a  b", "", " c", "", "two"],
        );
        check(
            "see [1]\n\n[1]: https://a.example \"A\"",
            40,
            &["see [1]", "", "[1]: https://a.example \"A\""],
        );
        check("- one two three\n- four", 10, &["- one two", "  three", "- four"]);
        check("Two:\n\n2) four\n3) six", 20, &["Two:", "", "2) four", "3) six"]);
    }

    /// The fast path for prose gives the same result as the renderer.
    #[test]
    fn prose_needs_no_renderer() {
        let words = [
            "A", "word", "it's,", "\"so\":", "x/y", "--", "-", "1.", "9)", "(c)", "?!", "...", "5%",
        ];
        let words = words.into_iter().chain(["http://a.example/b", "[ ]", "e.g.;", "TODO:", ""]);
        let words: Vec<&str> = words.collect();
        let theme = Theme::default();
        let mut dice = 7_usize;
        let mut prose = 0;
        for _ in 0..2_000 {
            let mut roll = |sides: usize| {
                dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (dice >> 33) % sides
            };
            let said: Vec<&str> = (0..1 + roll(30)).map(|_| words[roll(words.len())]).collect();
            let said = said.join(" ");
            let room = 10 + roll(70);
            if is_prose(said.trim_end()) {
                prose += 1;
                let shown = |rows: Vec<Line<'static>>| -> Vec<Line<'static>> {
                    rows.into_iter().filter(|row| row.width() > 0).collect()
                };
                let read = shown(read(said.trim_end(), room, &theme, None));
                assert_eq!(shown(rows(&said, room, &theme)), read, "{said:?}");
            }
        }
        assert!(prose > 200, "{prose}");
    }

    #[test]
    fn entities_cannot_inject_active_content() {
        let shown: String = rows("a &#27;[31m b &#x202e; c", 60, &Theme::default())
            .iter()
            .map(Line::to_string)
            .collect();
        assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown:?}");
    }

    fn check_marks(said: &str, glyphs: &'static Glyphs, expected: &[&str]) {
        let rows = framed(said, 12, &Theme::default(), CodeFrames { glyphs, from: 1 });
        let shown: Vec<String> = rows.iter().map(|l| l.to_string().trim_end().to_owned()).collect();
        assert_eq!(shown, expected, "{said:?}");
    }

    #[test]
    fn quotes_have_a_bar_and_tasks_a_sign() {
        let quote = "> one two three\n>> four\n\nfive";
        check_marks(quote, &UNICODE, &["│ one two", "│ three", "│", "│ │ four", "", "five"]);
        let tasks = "- [x] one two three\n- [ ] four\n- five";
        check_marks(tasks, &UNICODE, &["✓ one two", "  three", "○ four", "- five"]);
        check_marks(tasks, &ASCII, &["[x] one two", "    three", "[ ] four", "- five"]);
        check_marks("2 > 1 [x] a", &UNICODE, &["2 > 1 [x] a"]);
    }
}
