//! The start screen: one column of rows, scrolled to keep the focused row visible.

mod keys;
mod page;
mod recent;

use crate::text;
use crate::ui::draw::ambiguous;
use crate::ui::draw::bar::Bar;
use crate::ui::draw::start::page::{LABEL, StartPage, VALUE};
use crate::ui::frame::Frame;
use crate::ui::start::{Keying, StartRow, StartScreen, VoiceChoice};
use crate::ui::text::markdown::{bold, plainly};
use crate::ui::text::wrap::{clip, width, wrap};
use crate::ui::theme::ThemeRole;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};
use unicode_segmentation::UnicodeSegmentation;

/// Maximum width of the column, in cells; on a wide screen it is centred.
const COLUMN: u16 = 100;
/// Minimum height, in rows, for gaps and for two rows a session.
const TALL: u16 = 36;
/// Question that the topic answers.
const QUESTION: &str = "What should they talk about?";
/// Maximum number of symbols that mask a key.
const MASK: usize = 24;

/// Draws the screen.
pub fn draw(frame: &mut Frame<'_>, start: &mut StartScreen) {
    frame.begin();
    let whole = frame.area();
    let theme = &start.theme;
    let glyphs = start.glyphs;
    frame.wipe(whole, theme);
    if whole.height < 4 || whole.width < 20 {
        return;
    }
    let row = |y: u16| Rect { y, height: 1, ..whole };
    let mut header = Bar::new();
    for place in 0..3 {
        header.left(glyphs.gutter, theme.speaker_bar(place));
    }
    header.left(" colloquium", theme.style(ThemeRole::Title));
    let right = if start.first { "first run  " } else { start.version };
    header.right(format!("{right} "), theme.style(ThemeRole::Muted));
    header.draw(frame, row(0), " ", Style::new(), glyphs.ellipsis);
    let rule = glyphs.rule.repeat(usize::from(whole.width));
    frame.render_widget(Line::styled(rule.clone(), theme.style(ThemeRole::Rule)), row(1));
    frame.render_widget(Line::styled(rule, theme.style(ThemeRole::Rule)), row(whole.height - 2));

    let column = whole.width.min(COLUMN);
    let body =
        Rect { x: (whole.width - column) / 2, y: 2, width: column, height: whole.height - 4 };
    let mut notice = if start.prefixed {
        keys::prefixed(start, usize::from(column))
    } else {
        notice(start, usize::from(column))
    };
    let most = usize::from(body.height * 2 / 3).max(1);
    if notice.len() > most {
        let more = format!(" ... and {} lines more", notice.len() + 1 - most);
        notice.truncate(most - 1);
        notice.push(Line::styled(more, theme.style(ThemeRole::Muted)));
    }
    let told = (notice.len() as u16).min(body.height);
    let list = Rect { height: body.height - told, ..body };
    let mut page = StartPage {
        start,
        room: usize::from(column) - 1,
        tall: whole.height >= TALL,
        lines: vec![],
        focus: None,
    };
    if page.tall || start.first || start.keying.is_some() {
        page.blank();
    }
    match (&start.keying, start.help, start.first) {
        (Some(keying), ..) => page.key(keying),
        (None, Some(_), _) => page.help(),
        (None, None, true) => page.first(),
        (None, None, false) => page.usual(),
    }
    let StartPage { lines, focus, tall, .. } = page;
    start.page = recent::listed(tall);
    let height = usize::from(list.height);
    let at = focus.map_or(0, |(line, _)| line);
    let whole_lines = lines.len();
    let last = whole_lines.saturating_sub(height);
    // no line of the help has the focus
    let from = start.help.unwrap_or((at + 2).saturating_sub(height)).min(last);
    start.help = start.help.map(|_| from);
    keys::footer(frame, row(whole.height - 1), start, last > 0);
    let seen: Vec<Line<'static>> = lines.into_iter().skip(from).take(height).collect();
    let below = whole_lines.saturating_sub(from + seen.len());
    if below > 0 {
        let more = format!(" {below} more below ");
        let x = whole.right().saturating_sub(width(&more) as u16 + 2);
        let area =
            Rect { x, width: width(&more) as u16, ..row(whole.height - 2) }.intersection(whole);
        frame.render_widget(Line::styled(more, theme.style(ThemeRole::Notice)), area);
    }
    frame.render_widget(Text::from(seen), list);
    let last = Rect { y: body.bottom() - told, height: told, ..body };
    frame.render_widget(Text::from(notice), last);
    if let Some((line, Some(caret))) = focus {
        let x = list.x + u16::try_from(caret).unwrap_or(u16::MAX).min(list.width - 1);
        frame.set_cursor_position(Position::new(x, list.y + line.saturating_sub(from) as u16));
    }
    ambiguous::settle(frame.buffer_mut(), 0..whole.height);
}

/// Returns the notice above the footer.
fn notice(start: &StartScreen, room: usize) -> Vec<Line<'static>> {
    let Some(notice) = &start.notice else { return vec![] };
    let style = start.theme.style(ThemeRole::Notice);
    let block = text::block(notice);
    let wrapped = block.lines().flat_map(|l| wrap(&Line::styled(l.to_owned(), style), room - 3));
    wrapped
        .map(|mut line| {
            line.spans.insert(0, Span::raw(" "));
            line
        })
        .collect()
}

impl StartPage<'_> {
    fn usual(&mut self) {
        let begin = self.lines.len();
        // the frame takes a cell at both sides, and there is a blank before its right edge
        self.room -= 3;
        self.topic();
        let start = self.start;
        if let Some(script) = start.script() {
            let (told, names) = match &script.fault {
                Some(fault) => (format!("cannot run: {}", text::line(fault)), &[][..]),
                None => (
                    format!("{}  {}", text::name(&script.cast.join(", ")), script.rules),
                    &script.cast[..],
                ),
            };
            let name = text::label(&script.name);
            self.field(StartRow::Scenario, "Scenario", &name, &told, names);
        }
        let (value, said) = match start.voice() {
            None => ("none".into(), "type a model as PROVIDER:NAME".to_owned()),
            Some(VoiceChoice::Rehearsed) => {
                ("rehearsed".into(), "pre-written lines, no model is called".to_owned())
            }
            Some(VoiceChoice::Own) => ("set by the scenario".into(), String::new()),
            Some(VoiceChoice::Model(model)) => {
                let said = match model.name.starts_with("agent:") {
                    true => "an agent with its own tools",
                    false if model.local => "local",
                    false => "remote",
                };
                (text::name(&model.name).into_owned(), said.to_owned())
            }
        };
        self.field(StartRow::Voice, "Model", &value, &said, &[]);
        if let Some((server, _)) = start.answered() {
            let said = "enter remembers it in the settings";
            self.field(StartRow::Remember, "Server", &server, said, &[]);
        }
        if start.may_cast() {
            let (value, said) = if start.asks_cast {
                ("proposed", "the model proposes people for this topic, and you take them or not")
            } else {
                ("bundled", "people who fit any topic")
            };
            self.field(StartRow::Cast, "Cast", value, said, &[]);
        }
        let (value, said) = if start.take_part {
            ("take part", start.script().map_or("", |script| script.takes_part))
        } else {
            ("watch", "you can still write at any time")
        };
        self.field(StartRow::You, "You", value, said, &[]);
        let plan = start.plan();
        let known = start.estimate.as_ref().filter(|(_, of)| Some(of) == plan.as_ref());
        if let Some((estimate, _)) = known {
            let told = format!("   {:<VALUE$}{}", "Estimate", text::line(estimate));
            let told = clip(&told, self.room, start.glyphs.ellipsis);
            self.lines.push(Line::styled(told, self.style(ThemeRole::Notice)));
        }
        self.room += 3;
        self.framed(begin, QUESTION);
        if !start.sessions.is_empty() {
            self.gap();
            self.sessions();
        }
        self.gap();
        self.heading("More");
        self.write(28);
        self.offer(StartRow::Demo, "Watch a debate", "rehearsed, offline", 28);
        self.examples(28);
        let said = "paste an API key, or type a server's address";
        self.offer(StartRow::Provider, "Connect", said, 28);
        self.gap();
        self.hosts();
    }

    /// Puts the lines from an index on into a frame with a title.
    fn framed(&mut self, begin: usize, title: &str) {
        let glyphs = self.start.glyphs;
        let inside = self.room.saturating_sub(2);
        let edge = self.style(ThemeRole::Rule);
        let [top_left, top_right, bottom_left, bottom_right] = glyphs.corners;
        let title = format!(" {} ", clip(title, inside.saturating_sub(3), glyphs.ellipsis));
        let gap = glyphs.rule.repeat(inside.saturating_sub(width(&title) + 1));
        let fields = self.lines.split_off(begin);
        self.lines.push(Line::from(vec![
            Span::styled(format!("{top_left}{}", glyphs.rule), edge),
            Span::styled(title, bold(self.style(ThemeRole::Notice))),
            Span::styled(format!("{gap}{top_right}"), edge),
        ]));
        for mut line in fields {
            let gap = " ".repeat(inside.saturating_sub(line.width()));
            let style = std::mem::take(&mut line.style);
            line.spans.iter_mut().for_each(|span| span.style = style.patch(span.style));
            line.spans.insert(0, Span::styled(glyphs.wall, edge));
            line.spans.push(Span::styled(format!("{gap}{}", glyphs.wall), edge));
            self.lines.push(line);
        }
        let bottom = format!("{bottom_left}{}{bottom_right}", glyphs.rule.repeat(inside));
        self.lines.push(Line::styled(bottom, edge));
        // the focused row moved down by one, its cursor to the right
        if let Some((line, caret)) = self.focus.as_mut().filter(|(line, _)| *line >= begin) {
            *line += 1;
            caret.iter_mut().for_each(|caret| *caret += 1);
        }
    }

    /// Adds the row that writes a scenario, or edits the unfinished one.
    fn write(&mut self, label: usize) {
        match &self.start.writing {
            Some(name) => self.offer(StartRow::Write, "Edit your scenario", name, label),
            None => {
                self.offer(StartRow::Write, "Write a scenario", "opens a commented file", label);
            }
        }
    }

    /// Adds an empty line, if there is room for it.
    fn gap(&mut self) {
        if self.tall {
            self.blank();
        }
    }

    /// Adds the bundled sessions.
    fn examples(&mut self, label: usize) {
        for (i, (_, title)) in self.start.examples.iter().enumerate() {
            let what = if i == 0 { "Watch a recorded debate" } else { "" };
            self.offer(StartRow::Example(i), what, &text::label(title), label);
        }
    }

    /// Adds the page on which a provider's key is entered; the key is never shown.
    fn key(&mut self, keying: &Keying) {
        let start = self.start;
        let saved = start.saved.get(keying.at.wrapping_sub(start.keyless.len() + 1));
        let of_server = start.keyless.get(keying.at).is_none();
        let (name, variable) = start.keyless.get(keying.at).cloned().unwrap_or_default();
        self.heading("Connect a provider or a server");
        self.blank();
        let sign = start.glyphs.hidden;
        let entered = match keying.length() {
            0 => "paste your key (hidden)".to_owned(),
            n => format!("{} {n} characters", sign.repeat(n.min(MASK))),
        };
        let typed = match keying.address() {
            "" => "type it, as in http://127.0.0.1:8080/v1".to_owned(),
            typed => typed.to_owned(),
        };
        let of = format!("{} of {}", keying.at + 1, start.keyless.len() + 1 + start.saved.len());
        let fields = match of_server {
            _ if let Some(name) = saved => {
                [("Provider", format!("{name}   {of}")), ("Key", "saved; enter deletes it".into())]
            }
            true => [("Server", format!("your own server   {of}")), ("Address", typed)],
            false => [("Provider", format!("{name}   {of}")), ("Key", entered)],
        };
        for (label, value) in fields {
            let value = Line::from(text::line(&value).into_owned());
            for (i, value) in wrap(&value, self.room.saturating_sub(LABEL)).iter().enumerate() {
                let label = if i == 0 { label } else { "" };
                let label =
                    Span::styled(format!("   {label:<VALUE$}"), self.style(ThemeRole::Text));
                let value = Span::styled(value.to_string(), self.style(ThemeRole::Title));
                self.lines.push(Line::from(vec![label, value]));
            }
        }
        self.blank();
        let words = match of_server {
            _ if let Some(name) = saved => vec![
                format!("The key of {name} is a file in {}.", start.kept),
                "Delete it here; revoke it at the provider if somebody else may have read it.".into(),
            ],
            true => vec![
                "Any server that speaks the OpenAI API: llama.cpp, vLLM, LM Studio, a gateway.".into(),
                "It is asked for its models now, without a key.".into(),
                "Once it answers, the row Server remembers it in the settings, where it can be given a key.".into(),
            ],
            false => vec![
                format!("Stored in {}, readable only by you, and sent only to {name}.", start.kept),
                "Never written to a session, a log or an export. Checked on first use.".to_owned(),
                format!("Or set {variable} in your shell and reopen colloquium."),
                "Or type the address of your own server, as in http://127.0.0.1:8080/v1.".to_owned(),
            ],
        };
        let style = self.style(ThemeRole::Muted);
        for words in words {
            let line = Line::styled(format!("   {}", text::line(&words)), style);
            self.lines.extend(wrap(&line, self.room));
        }
    }

    fn topic(&mut self) {
        let start = self.start;
        let line = &start.topic.lines()[0];
        let caret = start.topic.cursor().1;
        let room = self.room.saturating_sub(LABEL + 1);
        let before: String = line.chars().take(caret).collect();
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
        let own = start.script().and_then(|s| s.topic.as_deref()).unwrap_or_default();
        let (shown, role) = match (line.is_empty(), own) {
            (true, "") => ("for example: should cities ban private cars?".into(), ThemeRole::Muted),
            (true, own) => (text::line(own).into_owned(), ThemeRole::Muted),
            (false, _) => (seen, ThemeRole::Title),
        };
        let shown = clip(&shown, room, start.glyphs.ellipsis);
        let label = format!("{:<width$}", "Topic", width = VALUE);
        self.row(StartRow::Topic, label, vec![Span::styled(shown, self.style(role))]);
        if start.at == StartRow::Topic
            && let Some((_, at)) = self.focus.as_mut()
        {
            *at = Some(LABEL + width(&before).saturating_sub(skip));
        }
    }

    /// Adds the hosts of models, usable ones first.
    fn hosts(&mut self) {
        let start = self.start;
        self.heading("Models");
        if start.hosts.is_empty() {
            self.lines
                .push(Line::styled("   looking for local servers", self.style(ThemeRole::Muted)));
        }
        let (usable, rest): (Vec<_>, Vec<_>) = start.hosts.iter().partition(|h| h.usable);
        for host in usable {
            let gap = if width(&host.name) < VALUE { "" } else { "  " };
            let sign = Span::styled(
                format!(" {} ", start.glyphs.done),
                plainly(self.style(ThemeRole::FloorSpeaking)),
            );
            let name = format!("{:<VALUE$}{gap}", host.name);
            let name = Span::styled(name, self.style(ThemeRole::Text));
            let says =
                Span::styled(text::label(&host.says).into_owned(), self.style(ThemeRole::Muted));
            self.lines.push(Line::from(vec![sign, name, says]));
        }
        // unusable hosts share one row per reason
        let mut reasons: Vec<&str> = rest.iter().map(|h| h.says.as_str()).collect();
        reasons.sort_unstable();
        reasons.dedup();
        for reason in reasons {
            let same = rest.iter().filter(|h| h.says == reason).map(|h| h.name.as_str());
            let names = text::name(&same.collect::<Vec<_>>().join(", ")).into_owned();
            let names = clip(&names, self.room.saturating_sub(LABEL), start.glyphs.ellipsis);
            let reason = text::line(reason);
            let gap = if width(&reason) < VALUE { "" } else { "  " };
            let line = format!("   {reason:<VALUE$}{gap}{names}");
            self.lines.push(Line::styled(line, self.style(ThemeRole::Muted)));
        }
    }

    fn first(&mut self) {
        let start = self.start;
        let words = "Several AIs talk to each other here. You watch, pause, and join in.";
        for line in
            wrap(&Line::styled(format!(" {words}"), self.style(ThemeRole::Title)), self.room)
        {
            self.lines.push(line);
        }
        self.gap();
        let begin = self.lines.len();
        self.room -= 3;
        self.topic();
        self.room += 3;
        self.framed(begin, QUESTION);
        self.gap();
        let models = start.hosts.iter().flat_map(|h| &h.models).filter(|m| m.local).count();
        let local = match models {
            0 => "none found".into(),
            1 => "found one".into(),
            n => format!("found {n}"),
        };
        let said = "rehearsed, offline";
        self.offer(StartRow::Demo, "Watch a debate now", said, 30);
        self.examples(30);
        for (row, label, said) in [
            (StartRow::Local, "Use a local model", local.as_str()),
            (StartRow::Provider, "Connect", "paste an API key, or type a server's address"),
        ] {
            self.offer(row, label, said, 30);
        }
        self.write(30);
        self.offer(StartRow::Own, "New conversation", "choose topic, scenario and model", 30);
        // the rows above say the same about the others
        if start.hosts.iter().any(|host| host.usable) {
            self.blank();
            self.hosts();
        }
        self.blank();
        for words in
            ["Keys are never written to a session.", "Data is sent only to the model you choose."]
        {
            let line = Line::styled(format!(" {words}"), self.style(ThemeRole::Muted));
            self.lines.extend(wrap(&line, self.room));
        }
    }
}
