//! One self-contained page: the conversation, attributed and coloured, then the analysis as charts and tables.
//!
//! The page needs no network and no other file, and a policy in its head forbids both. Its only script is the one of
//! `player`, which the policy names by its digest; without it the page reads the same. All text passes through
//! [`escaped`]; there is no other way into the page. Messages keep their Markdown, as rendered by `words`.

use super::document::{Document, lasted};
use super::figures::of_words;
use super::markup::{colour, escaped};
use super::player::{self, Timing};
use super::words::{Rendered, render};
use super::{Hearer, Narrated, REHEARSED, chart, ended, poster, utterances};
use crate::analysis::{Standing, Table, name, outcome};
use crate::model::{Event, Kind, Ms, SeatId, Seq};
use crate::state::State;
use crate::text;
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Columns of the drawing of one of two conversations side by side.
pub(super) const HALF_COLUMNS: usize = 70;

/// Style of pages of the program, which run from a file.
pub const PAGE_CSS: &str = include_str!("page.css");

/// Writes the whole page.
pub fn spell(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    let state = &document.state;
    let title = escaped(&document.title());
    let topic = state.scenario.topic.as_deref().filter(|t| *t != &*state.shown_title());
    let topic = topic.map_or(String::new(), |t| format!("<p class=\"topic\">{}</p>\n", escaped(t)));
    let rehearsed = if state.rehearsed {
        format!("<p class=\"label\">{REHEARSED}</p>\n")
    } else {
        String::new()
    };
    open(&title, document.has_player, &card(document), out)?;
    write!(
        out,
        "{poster}<header>\n<h1>{title}</h1>\n{topic}{rehearsed}<p class=\"facts\">{facts}{analysis}</p>\n{cast}</header>\n\
         {over}<main>\n",
        facts = facts(document),
        cast = cast(state),
        over = over(state, poster::PAGE_COLUMNS),
        poster = poster(document),
        analysis = if document.is_clean { "" } else { " · <a href=\"#figures\">analysis</a>" },
    )?;
    let timing = talk(document, ConversationPart::Whole, &Anchors::default(), out)?;
    out.write_all(b"</main>\n")?;
    if !document.is_clean {
        out.write_all(b"<section id=\"figures\">\n<h2>Analysis</h2>\n")?;
        figures(document, out)?;
        out.write_all(b"</section>\n")?;
    }
    if let Some(timing) = timing {
        timing.finish(out)?;
    }
    out.write_all(b"</body>\n</html>\n")
}

/// Writes the beginning of a page, up to its body; the title is safe in the page, and `card` is markup for its head.
pub(super) fn open(
    title: &str,
    has_player: bool,
    card: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{title}</title>\n{card}<style>\n{PAGE_CSS}{controls}</style>\n</head>\n<body>\n",
        policy = if has_player { player::policy() } else { String::new() },
        controls = if has_player { player::STYLE } else { "" },
    )
}

/// Returns date, number of turns, duration and id of a conversation.
pub(super) fn facts(document: &Document) -> String {
    let when = when(document).map(|when| format!("{when} · ")).unwrap_or_default();
    let turns = utterances(document.state.utterances);
    format!("{when}{turns}, {} · session {}", lasted(document), escaped(&document.id))
}

/// Returns the list of the participants.
pub(super) fn cast(state: &State) -> String {
    let cast: String = state
        .cast()
        .map(|(_, s)| {
            let role = s.spec.role.as_ref().map_or(String::new(), |r| format!(", {}", escaped(r)));
            let voice = escaped(&state.voices(s));
            let silent = s.spec.speaks && s.utterances == 0 && state.utterances > 0;
            let silent = if silent { ", has not spoken" } else { "" };
            let class = colour(state, &s.spec.id);
            format!(
                "<li class=\"{class}\"><b>{}</b>{role}{silent} <small>{voice}</small></li>\n",
                escaped(&s.spec.name)
            )
        })
        .collect();
    format!("<ul class=\"cast\">\n{cast}</ul>\n")
}

/// Returns what other sites show of a link to the page: its title, its outcome, and its picture if its address is known.
fn card(document: &Document) -> String {
    let state = &document.state;
    let standing = Standing::new(state);
    let result = state.result.as_ref().map(|(result, _)| text::label(&result.result).into_owned());
    let ended = state.ended.as_ref().map(|end| ended(end.reason, Hearer::Operator));
    let told = result.or_else(|| outcome(state, standing.as_ref())).or(ended);
    let meta = |name: &str, content: &str| {
        format!("<meta property=\"og:{name}\" content=\"{}\">\n", escaped(content))
    };
    let mut card = meta("title", &document.title()) + &meta("type", "article");
    card.push_str(&meta("description", &told.unwrap_or_default()));
    if let Some((page, picture)) = &document.addresses {
        card.push_str(&(meta("url", page) + &meta("image", picture)));
        card.push_str("<meta name=\"twitter:card\" content=\"summary_large_image\">\n");
    }
    card
}

/// Returns the poster of an ended conversation that has more to show than who spoke when, and a narrow one for phones.
fn poster(document: &Document) -> String {
    let standing = Standing::new(&document.state);
    let source = poster::source(document, standing.as_ref());
    if document.state.ended.is_none() || !poster::has_content(&source) {
        return String::new();
    }
    let [wide, narrow] = poster::drawings(&source);
    format!(
        "<figure class=\"poster\">\n{wide}</figure>\n<figure class=\"poster narrow\">\n{narrow}</figure>\n"
    )
}

/// Returns the outcome, and the positions of the participants over the turns in a width in cells and for phones. `data-x`
/// has the places of the first turn, the distance between two turns and the end of the lines.
pub(super) fn over(state: &State, columns: usize) -> String {
    let standing = Standing::new(state);
    let outcome = state.ended.as_ref().map_or_else(String::new, |end| {
        let outcome = outcome(state, standing.as_ref())
            .unwrap_or_else(|| ended(end.reason, Hearer::Operator));
        format!("<p class=\"outcome\">{}</p>\n", escaped(&outcome))
    });
    let drawing = standing.map_or_else(String::new, |standing| {
        let drawn = [columns, poster::NARROW_COLUMNS].map(|columns| {
            let (drawn, [first, step, end]) = poster::positions(&standing, columns);
            format!("<div data-x=\"{first} {step} {end}\">{}</div>\n", poster::svg(&drawn))
        });
        format!(
            "<figure class=\"stand\">\n<figcaption><h3>Where they stand</h3></figcaption>\n{}</figure>\n",
            drawn.concat()
        )
    });
    outcome + &drawing
}

/// Returns the date and time of the start of the conversation.
fn when(document: &Document) -> Option<String> {
    let at = Timestamp::from_millisecond(document.survey.began?.0).ok()?;
    let words = at.strftime("%-d %B %Y, %H:%M UTC");
    Some(format!("<time datetime=\"{}\">{words}</time>", at.strftime("%Y-%m-%dT%H:%M:%SZ")))
}

/// The part of a conversation that is written.
#[derive(Clone, Copy)]
pub(super) enum ConversationPart {
    /// All of it.
    Whole,
    /// The events before this one, without the outcome.
    Before(Seq),
    /// The events from this one on, after the outcome, which is known at the given time.
    Since(Seq, Option<Ms>),
}

impl ConversationPart {
    fn has(self, event: &Event) -> bool {
        let tells_outcome = matches!(event.kind, Kind::Opened(_));
        match self {
            ConversationPart::Whole => true,
            ConversationPart::Before(seq) => !tells_outcome && event.seq < seq,
            ConversationPart::Since(seq, _) => tells_outcome || event.seq >= seq,
        }
    }
}

/// Names of the turns in links.
#[derive(Default)]
pub(super) struct Anchors {
    /// Number of the last turn before a branch; later ones have names of their own.
    pub branch: Option<u32>,
}

impl Anchors {
    fn name(&self, number: u32) -> String {
        let is_own = self.branch.is_some_and(|shared| number > shared);
        format!("{}{number}", if is_own { "b" } else { "t" })
    }
}

/// Writes the narration of a part as HTML. Returns the times of the conversation if the page has a player.
pub(super) fn talk(
    document: &Document,
    part: ConversationPart,
    anchors: &Anchors,
    out: &mut dyn Write,
) -> io::Result<Option<Timing>> {
    let telling = document.telling();
    let mut telling =
        if matches!(part, ConversationPart::Whole) { telling } else { telling.as_spoken() };
    let mut timing = document.has_player.then(Timing::default);
    if let (Some(timing), ConversationPart::Since(_, outcome)) = (&mut timing, part) {
        timing.outcome = outcome;
    }
    let mut numbered = BTreeSet::new();
    document.write_each(out, |record| {
        let event = &record.event;
        let told = telling.narrate(event);
        let state = telling.state();
        if let Some(timing) = &mut timing {
            timing.take(state, event);
        }
        let told = if part.has(event) { told } else { vec![] };
        let mut page = String::new();
        for told in told {
            page.push_str(&match told {
                // the head of the page contains it
                Narrated::Opening { .. } => String::new(),
                Narrated::Note(note) => {
                    let times = timing.as_ref().map_or(String::new(), |t| t.of_event(event));
                    format!("<p class=\"note\"{times}>{}</p>\n", escaped(&note))
                }
                Narrated::Words { place, who, body } => {
                    let body = body.trim_matches('\n');
                    let rendered = render(body);
                    let times = timing.as_mut().map(|t| t.of_turn(event, body, &rendered));
                    let number = place.parse().ok();
                    let message = Message {
                        number,
                        // whispers and versions repeat the number of their turn
                        is_first: number.is_some_and(|number| numbered.insert(number)),
                        place: &place,
                        who: &who,
                        seat: seat(state, event),
                        rendered,
                        thought: thought(event),
                    };
                    message.article(state, anchors, &times.unwrap_or_default())
                }
            });
        }
        telling.in_order(event, page)
    })?;
    out.write_all(telling.rest().as_bytes())?;
    Ok(timing)
}

/// Returns the author of an event; `None` for the operator and the program.
fn seat(state: &State, event: &Event) -> Option<SeatId> {
    match &event.kind {
        Kind::TurnEnded(e) => {
            let spoken = state.spoken(e.turn).map(|spoken| spoken.seat);
            Some(spoken.unwrap_or_else(|| SeatId(event.by.clone())))
        }
        Kind::HumanSaid(_) => state.entries.last().and_then(|e| e.seat()).cloned(),
        _ => None,
    }
}

fn thought(event: &Event) -> &str {
    match &event.kind {
        Kind::TurnEnded(e) => e.think.as_deref().unwrap_or_default(),
        _ => "",
    }
}

/// A message of the page.
struct Message<'a> {
    /// Number of its turn.
    number: Option<u32>,
    /// True for the first message with this number.
    is_first: bool,
    place: &'a str,
    who: &'a str,
    seat: Option<SeatId>,
    rendered: Rendered,
    thought: &'a str,
}

impl Message<'_> {
    /// Returns the message as HTML with the attributes of its times.
    fn article(&self, state: &State, anchors: &Anchors, times: &str) -> String {
        let reasoning = match self.thought.trim() {
            "" => String::new(),
            thought => format!(
                "<details><summary>reasoning</summary><div class=\"raw\">{}</div></details>\n",
                escaped(thought)
            ),
        };
        // links can refer to a turn by its number
        let place = match self.number {
            Some(n) => format!("<a class=\"place\" href=\"#{}\">{n}</a>", anchors.name(n)),
            None => format!("<span class=\"place\">{}</span>", escaped(self.place)),
        };
        let id = match self.number {
            Some(n) if self.is_first => format!(" id=\"{}\"", anchors.name(n)),
            _ => String::new(),
        };
        let body = match &*self.rendered.html {
            "" => String::new(),
            // verdict and result refer to turns by their number
            html if self.number.is_none() => {
                format!("<div class=\"words\">\n{}</div>\n", with_turn_links(html, anchors))
            }
            html => format!("<div class=\"words\">\n{html}</div>\n"),
        };
        let class = self.seat.as_ref().map_or_else(|| "op".into(), |seat| colour(state, seat));
        let seat = state.seats.iter().position(|s| Some(&s.spec.id) == self.seat.as_ref());
        let lane = match seat {
            Some(seat) if !times.is_empty() => format!(" data-s=\"{}\"", seat + 1),
            _ => String::new(),
        };
        format!(
            "<article class=\"{class}\"{id}{lane}{times}>\n<h3>{place} {}</h3>\n{reasoning}{body}</article>\n",
            self.head(state)
        )
    }

    /// Returns the author; remarks on the end of the turn are an element of their own.
    fn head(&self, state: &State) -> String {
        let named = self.seat.as_ref().map(|seat| name(state, seat));
        let after = named.and_then(|name| self.who.starts_with(&name).then_some(name.len()));
        let remark = after.and_then(|at| Some(at + self.who[at..].find(", ")?));
        match remark.map(|at| self.who.split_at(at)) {
            Some((who, remark)) => format!("{}<span>{}</span>", escaped(who), escaped(remark)),
            None => escaped(self.who),
        }
    }
}

/// Links numbers of turns such as `#5` in a message of the host; longer numbers may be colours.
fn with_turn_links(html: &str, anchors: &Anchors) -> String {
    const DIGITS_MAX: usize = 4;
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('#') {
        let (before, after) = rest.split_at(at);
        let digits = after[1..].chars().take_while(char::is_ascii_digit).count();
        let starts = before.is_empty() || before.ends_with([' ', '(', '\n']);
        let ends = !after[1 + digits..].starts_with(char::is_alphanumeric);
        out.push_str(before);
        if starts && ends && (1..=DIGITS_MAX).contains(&digits) {
            let number = &after[1..=digits];
            let name = number.parse().map_or_else(|_| number.to_owned(), |n| anchors.name(n));
            out.push_str(&format!("<a href=\"#{name}\">#{number}</a>"));
        } else {
            out.push_str(&after[..=digits]);
        }
        rest = &after[digits + 1..];
    }
    out + rest
}

fn figures(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    let analysis = document.analysis();
    for table in analysis.each().filter(|table| !table.rows.is_empty()) {
        write!(
            out,
            "<figure id=\"{}\">\n<figcaption><h3>{}</h3><p>{}</p></figcaption>\n{}",
            table.name,
            escaped(table.title),
            escaped(table.counts),
            chart::render(table.name, &analysis)
        )?;
        rows(&table, out)?;
        out.write_all(b"</figure>\n")?;
    }
    Ok(())
}

fn rows(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let words = of_words(table);
    let side = |i: usize| if words.get(i) == Some(&true) { "" } else { " class=\"n\"" };
    let head: String = (table.columns.iter().enumerate())
        .map(|(i, c)| format!("<th{} scope=\"col\">{}</th>", side(i), escaped(&c.title)))
        .collect();
    writeln!(out, "<div class=\"scroll\"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>")?;
    for cells in &table.rows {
        out.write_all(b"<tr>")?;
        for (i, cell) in cells.iter().enumerate() {
            write!(out, "<td{}>{}</td>", side(i), escaped(&cell.shown()))?;
        }
        out.write_all(b"</tr>\n")?;
    }
    out.write_all(b"</tbody>\n</table></div>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_is_folded_and_no_markup_either() {
        let state = State::default();
        let mut message = Message {
            number: Some(3),
            is_first: true,
            place: "3",
            who: "Ada",
            seat: None,
            rendered: render("words"),
            thought: "<b>thought</b>",
        };
        let page = message.article(&state, &Anchors::default(), " data-t=\"1\"");
        assert!(page.starts_with("<article class=\"op\" id=\"t3\" data-t=\"1\">"), "{page}");
        let folded = "<details><summary>reasoning</summary><div class=\"raw\">&lt;b&gt;thought&lt;/b&gt;</div></details>";
        assert!(page.contains(folded), "{page}");
        message.thought = " ";
        message.is_first = false;
        let page = message.article(&state, &Anchors::default(), "");
        assert!(page.starts_with("<article class=\"op\">") && !page.contains("details"), "{page}");
    }

    #[test]
    fn nothing_in_a_text_is_markup() {
        for (raw, safe) in [
            ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("\" onload='x' &amp;", "&quot; onload=&#39;x&#39; &amp;amp;"),
            ("a\u{202e}b", "a&lt;U+202E&gt;b"),
        ] {
            assert_eq!(escaped(raw), safe);
        }
    }
}
