//! The start screen: the box with its promise, the sessions below it, and the lists over both.

mod keys;
mod list;
mod page;
mod recent;
mod table;

use crate::text;
use crate::ui::draw::ambiguous;
use crate::ui::draw::start::page::{LABEL, StartPage, VALUE};
use crate::ui::frame::Frame;
use crate::ui::start::{Keying, StartRow, StartScreen, VoiceChoice, WAYS};
use crate::ui::text::wrap::{clip, width, wrap};
use crate::ui::theme::ThemeRole;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span, Text};
use unicode_segmentation::UnicodeSegmentation;

/// Cells beside the box, in all, and its greatest width.
const BESIDE: u16 = 14;
const BOX: u16 = 80;
/// Width of a screen on which the box is wider, and its width there.
const WIDE: (u16, u16) = (160, 100);
/// Minimum width of a screen with room beside the box.
const ROOMY: u16 = 60;
/// Minimum height for the title, and for gaps.
const TITLED: u16 = 16;
const TALL: u16 = 22;
/// Maximum number of symbols that mask a key.
const MASK: usize = 24;
/// Question that the topic answers.
const QUESTION: &str = "What should they talk about?";

pub fn draw(frame: &mut Frame<'_>, start: &mut StartScreen) {
    frame.begin();
    let whole = frame.area();
    frame.wipe(whole, &start.theme);
    if whole.height < 4 || whole.width < 20 {
        return;
    }
    let row = |y: u16| Rect { y, height: 1, ..whole };
    let body = Rect { height: whole.height - 1, ..whole };
    let column = match whole.width {
        narrow if narrow < ROOMY => narrow,
        wide if wide >= WIDE.0 => WIDE.1,
        usual => (usual - BESIDE).min(BOX),
    };
    let mut page = StartPage {
        start,
        left: usize::from((whole.width - column) / 2),
        room: usize::from(column),
        tall: whole.height >= TALL,
        lines: vec![],
        focus: None,
    };
    let mut scrolls = false;
    match (&start.keying, start.help) {
        (Some(keying), _) => page.key(keying),
        (None, Some(_)) => page.help(),
        (None, None) => page.home(body),
    }
    let is_promised = page.start.keying.is_none() && page.start.expected().is_some();
    let StartPage { mut lines, focus, .. } = page;
    let height = usize::from(body.height);
    let mut from = 0;
    if start.help.is_some() || start.keying.is_some() {
        let last = lines.len().saturating_sub(height);
        from = start.help.unwrap_or(0).min(last);
        start.help = start.help.map(|_| from);
        scrolls = last > 0;
        lines.drain(..from);
    }
    let is_home = start.help.is_none() && start.list.is_none() && start.at == StartRow::Topic;
    let shown = start.topic().is_some() && is_home;
    start.promised =
        if is_promised && shown { start.plan().map(|plan| plan.shape()) } else { None };
    frame.render_widget(Text::from(lines), body);
    if let Some((line, column)) = focus {
        let x = u16::try_from(column).unwrap_or(u16::MAX).min(whole.width - 1);
        let y = line.saturating_sub(from) as u16;
        frame.set_cursor_position(Position::new(x, y.min(body.height - 1)));
    }
    list::draw(frame, body, column, start);
    keys::footer(frame, row(whole.height - 1), start, scrolls);
    ambiguous::settle(frame.buffer_mut(), 0..whole.height);
}

impl StartPage<'_> {
    /// Adds the title, the box, the promise, and the sessions that fit.
    fn home(&mut self, body: Rect) {
        let height = usize::from(body.height);
        if body.height + 1 >= TITLED {
            self.title();
        }
        let above_box = self.lines.len();
        self.boxed();
        let promise = self.promise();
        self.gap();
        promise.into_iter().for_each(|line| self.centred(line));
        // an open list is in the place of the box, and Enter is its own
        if self.start.list.is_some() {
            self.lines[above_box..].fill(Line::default());
        }
        self.notice(height);
        self.gap();
        self.gap();
        let room = height.saturating_sub(self.lines.len());
        self.sessions(room.saturating_sub(usize::from(self.tall)));
        // above the middle, where the eye is
        let spare = height.saturating_sub(self.lines.len());
        let above = if self.tall { spare / 2 } else { 0 };
        self.lines.splice(0..0, std::iter::repeat_n(Line::default(), above));
        if let Some((line, _)) = &mut self.focus {
            *line += above;
        }
    }

    fn title(&mut self) {
        let glyphs = self.start.glyphs;
        let bars = (0..3).map(|at| Span::styled(glyphs.gutter, self.start.theme.speaker_bar(at)));
        let name = Span::styled("  c o l l o q u i u m", self.style(ThemeRole::Title));
        let title = Line::from_iter(bars.chain([name]));
        self.centred(title);
        self.gap();
        let said = "Several AIs talk. You watch, and join in.";
        let said = Line::styled(said, self.style(ThemeRole::Text));
        self.centred(said);
        self.gap();
        if self.start.sessions.is_empty() || self.tall {
            self.gap();
        }
    }

    /// Adds the box: the topic, and who sits there.
    fn boxed(&mut self) {
        let glyphs = self.start.glyphs;
        let inside = self.room.saturating_sub(2);
        let [top_left, top_right, bottom_left, bottom_right] = glyphs.corners;
        let edge = |left: &str, right: &str| format!("{left}{}{right}", glyphs.rule.repeat(inside));
        let rule = self.style(ThemeRole::Rule);
        self.push(Line::styled(edge(top_left, top_right), rule));
        let line = self.lines.len();
        let (topic, caret) = self.topic(inside.saturating_sub(5));
        self.walled(topic);
        if self.tall {
            self.walled(Line::default());
        }
        let (table, at) = self.table(inside.saturating_sub(4));
        let below = self.lines.len();
        self.walled(table);
        self.push(Line::styled(edge(bottom_left, bottom_right), rule));
        self.focus = match self.start.at {
            StartRow::Topic => Some((line, self.left + 3 + caret)),
            StartRow::Who | StartRow::Kind => Some((below, self.left + 3 + at)),
            StartRow::Session(_) | StartRow::Example(_) => None,
        };
    }

    fn walled(&mut self, line: Line<'static>) {
        let wall = Span::styled(self.start.glyphs.wall, self.style(ThemeRole::Rule));
        let gap = " ".repeat(self.room.saturating_sub(4 + line.width()));
        let mut spans = vec![wall.clone(), Span::raw("  ")];
        spans.extend(line.spans);
        spans.extend([Span::raw(gap), wall]);
        self.push(Line::from(spans));
    }

    /// Returns the topic as far as it fits, and the column of the cursor in it. A key is never legible.
    fn topic(&self, room: usize) -> (Line<'static>, usize) {
        let start = self.start;
        let line = &start.topic.lines()[0];
        if line.is_empty() {
            let asked = clip(QUESTION, room, start.glyphs.ellipsis);
            return (Line::styled(asked, self.style(ThemeRole::Muted)), 0);
        }
        let line = &start.veiled(line).unwrap_or_else(|| line.clone());
        let before: String = line.chars().take(start.topic.cursor().1).collect();
        // the end of the input stays visible
        let skip = width(&before).saturating_sub(room.saturating_sub(1));
        let mut skipped = 0;
        let seen: String = line
            .graphemes(true)
            .skip_while(|sign| {
                let hidden = skipped < skip;
                skipped += width(sign);
                hidden
            })
            .collect();
        let seen = clip(&seen, room, start.glyphs.ellipsis);
        (Line::styled(seen, self.style(ThemeRole::Title)), width(&before).saturating_sub(skip))
    }

    /// Returns the effect of Enter and its cost, or the card "no model yet".
    fn promise(&self) -> Vec<Line<'static>> {
        let start = self.start;
        let room = self.whole().saturating_sub(2);
        let text = self.style(ThemeRole::Text);
        let muted = self.style(ThemeRole::Muted);
        if start.has_no_model() {
            // a number goes to the filter of an open list
            if start.list.is_some() {
                return vec![];
            }
            let ways = WAYS.iter().zip(1..).map(|(way, n)| format!("   {n} {way}"));
            let card = format!("NO MODEL YET {}{}", start.glyphs.dot, ways.collect::<String>());
            let card = card.replacen("   1", " 1", 1);
            return wrap(&Line::styled(card, self.style(ThemeRole::Notice)), room);
        }
        let expected = start.expected();
        let key = keys::pair(start, &[crate::ui::action::Action::RunEntry]);
        let key = Span::styled(key, self.style(ThemeRole::HintKey));
        let words = match (start.topic(), start.voice()) {
            (None, _) => "watch them argue about cars, offline, one minute".to_owned(),
            (Some(_), Some(VoiceChoice::Rehearsed)) => {
                "watch the rehearsed debate, offline".to_owned()
            }
            (Some(_), voice) => {
                if let Some(fault) = expected.and_then(|forecast| forecast.fault.as_ref()) {
                    let fault = Line::styled(text::line(fault).into_owned(), muted);
                    return wrap(&fault, room);
                }
                match expected {
                    Some(f) => format!("they begin: {}, {}", f.length, f.sum),
                    None if voice.is_some_and(|voice| start.may_cost(&voice)) => {
                        "the cost is being estimated".to_owned()
                    }
                    None => "they begin".to_owned(),
                }
            }
        };
        let promise = Line::from(vec![key.clone(), Span::styled(format!("  {words}"), text)]);
        let mut lines = wrap(&promise, room);
        let is_asked = start.topic().is_some();
        if let Some(forecast) = expected
            && is_asked
        {
            let unasked = start.ticked.is_none() && start.usual.is_empty();
            let to = (unasked && !forecast.to.is_empty())
                .then(|| format!("the words go to {}", forecast.to.join(", ")));
            for said in to.into_iter().chain(forecast.note.clone()) {
                lines.extend(wrap(&Line::styled(text::line(&said).into_owned(), muted), room));
            }
        }
        if start.at != StartRow::Topic {
            let opens = Span::styled(format!("  {}", keys::opens(start)), text);
            let is_box = matches!(start.at, StartRow::Who | StartRow::Kind);
            let cost = match expected {
                Some(f) if is_box && is_asked => format!("   {}, {}", f.length, f.sum),
                _ => String::new(),
            };
            // nothing moves when the focus does
            let rows = lines.len();
            lines = wrap(&Line::from(vec![key, opens, Span::styled(cost, muted)]), room);
            lines.resize(rows.max(lines.len()), Line::default());
        }
        lines
    }

    /// Adds the notice, at most two thirds of the screen.
    fn notice(&mut self, height: usize) {
        let start = self.start;
        let style = self.style(ThemeRole::Notice);
        let Some(notice) = &start.notice else { return };
        let block = text::block(notice);
        let lines = block.lines().map(|line| Line::styled(line.to_owned(), style));
        let mut rows: Vec<_> = lines.flat_map(|line| wrap(&line, self.room)).collect();
        let most = (height.saturating_sub(self.lines.len()) * 2 / 3).max(3);
        if rows.len() > most {
            let more = format!("... and {} lines more", rows.len() + 1 - most);
            rows.truncate(most - 1);
            rows.push(Line::styled(more, self.style(ThemeRole::Muted)));
        }
        rows.into_iter().for_each(|row| self.push(row));
    }

    /// Adds the page on which a provider's key is entered; the key is never shown.
    fn key(&mut self, keying: &Keying) {
        let start = self.start;
        let saved = start.saved.get(keying.at.wrapping_sub(start.keyless.len() + 1));
        let (name, variable) = start.keyless.get(keying.at).cloned().unwrap_or_default();
        self.gap();
        self.heading("Connect a provider or a server");
        self.gap();
        let sign = start.glyphs.hidden;
        let entered = match keying.length() {
            0 => "paste your key (hidden)".to_owned(),
            n => format!("{} {n} characters", sign.repeat(n.min(MASK))),
        };
        let typed = match keying.address() {
            "" => "type it, as in http://127.0.0.1:8080/v1".to_owned(),
            typed => start.veiled(typed).unwrap_or_else(|| typed.to_owned()),
        };
        let of = format!("{} of {}", keying.at + 1, start.keyless.len() + 1 + start.saved.len());
        let (fields, words) = match (&keying.server, saved) {
            (Some(server), _) => (
                [("Server", server.clone()), ("Key", entered)],
                vec![
                    "It answers, and wants a key.".to_owned(),
                    format!("The key is tried first, then saved in {}.", start.kept),
                ],
            ),
            (None, Some(name)) => (
                [("Provider", format!("{name}   {of}")), ("Key", "saved; enter deletes it".into())],
                vec![
                    format!("The key of {name} is a file in {}.", start.kept),
                    "Delete it here; revoke it at the provider if somebody else may have read it."
                        .into(),
                ],
            ),
            (None, None) if name.is_empty() => (
                [("Server", format!("your own server   {of}")), ("Address", typed)],
                vec![
                    "Any server that speaks the OpenAI API: llama.cpp, vLLM, LM Studio, a gateway."
                        .into(),
                    "It is asked for its models now. If it wants a key, the key is asked for here."
                        .into(),
                ],
            ),
            (None, None) => (
                [("Provider", format!("{name}   {of}")), ("Key", entered)],
                vec![
                    format!(
                        "Stored in {}, readable only by you, and sent only to {name}.",
                        start.kept
                    ),
                    "Never written to a session, a log or an export. Checked on first use.".into(),
                    format!("Or set {variable} in your shell and reopen colloquium."),
                    "Or type the address of your own server, as in http://127.0.0.1:8080/v1."
                        .into(),
                ],
            ),
        };
        for (label, value) in fields {
            let value = Line::from(text::line(&value).into_owned());
            for (i, value) in wrap(&value, self.room.saturating_sub(LABEL)).iter().enumerate() {
                let label = if i == 0 { label } else { "" };
                let label = Span::styled(format!("{label:<VALUE$}"), self.style(ThemeRole::Text));
                let value = Span::styled(value.to_string(), self.style(ThemeRole::Title));
                self.push(Line::from(vec![label, value]));
            }
        }
        self.gap();
        for words in words.into_iter().chain(start.notice.clone()) {
            let role = if start.notice.as_ref() == Some(&words) {
                ThemeRole::Notice
            } else {
                ThemeRole::Muted
            };
            let line = Line::styled(text::line(&words).into_owned(), self.style(role));
            wrap(&line, self.room).into_iter().for_each(|line| self.push(line));
        }
    }
}
