//! Quotes and tasks on the screen: a bar beside each row of a quote, a sign before each task.

use crate::ui::text::wrap::wrap;
use crate::ui::theme::glyphs::Glyphs;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Tasks in Markdown: open ones, then done ones.
const TASKS: [&str; 2] = ["- [ ] ", "- [x] "];

/// Breaks a line at a width. A quote keeps its bar on every row, in a style of its own; a task has a sign.
pub(super) fn wrap_marked(
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
    use crate::ui::text::markdown::{CodeFrames, framed};
    use crate::ui::theme::Theme;
    use crate::ui::theme::glyphs::{ASCII, Glyphs, UNICODE};

    fn check(said: &str, glyphs: &'static Glyphs, expected: &[&str]) {
        let rows = framed(said, 12, &Theme::default(), CodeFrames { glyphs, from: 1 });
        let shown: Vec<String> = rows.iter().map(|l| l.to_string().trim_end().to_owned()).collect();
        assert_eq!(shown, expected, "{said:?}");
    }

    #[test]
    fn quotes_have_a_bar_and_tasks_a_sign() {
        let quote = "> one two three\n>> four\n\nfive";
        check(quote, &UNICODE, &["│ one two", "│ three", "│", "│ │ four", "", "five"]);
        let tasks = "- [x] one two three\n- [ ] four\n- five";
        check(tasks, &UNICODE, &["✓ one two", "  three", "○ four", "- five"]);
        check(tasks, &ASCII, &["[x] one two", "    three", "[ ] four", "- five"]);
        check("2 > 1 [x] a", &UNICODE, &["2 > 1 [x] a"]);
    }
}
