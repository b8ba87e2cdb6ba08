//! One self-contained page: the conversation, attributed and coloured, then the analysis as charts and tables.
//!
//! The page needs no script, no network and no other file, and a policy in its head forbids all three. All text passes
//! through [`escaped`]; there is no other way into the page. Messages keep their Markdown, as rendered by `words`.

use super::document::{Document, lasted};
use super::figures::of_words;
use super::markup::{colour, escaped};
use super::{Narrated, REHEARSED, chart, ended, tracks, utterances, words};
use crate::analysis::{Standing, Table, outcome};
use crate::model::{Event, Kind, SeatId};
use crate::state::State;
use jiff::Timestamp;
use std::io::{self, Write};

const STYLE: &str = include_str!("page.css");

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
    let when = when(document).map(|when| format!("{when} · ")).unwrap_or_default();
    let facts = format!("{when}{}, {}", utterances(state.utterances), lasted(document));
    let cast: String = state
        .seats
        .iter()
        .map(|s| {
            let role = s.spec.role.as_ref().map_or(String::new(), |r| format!(", {}", escaped(r)));
            let voice = escaped(&s.spec.voice.label());
            let class = colour(state, &s.spec.id);
            format!(
                "<li class=\"{class}\"><b>{}</b>{role} <small>{voice}</small></li>\n",
                escaped(&s.spec.name)
            )
        })
        .collect();
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n{topic}{rehearsed}\
         <p class=\"facts\">{facts} · session {id}{analysis}</p>\n<ul class=\"cast\">\n{cast}</ul>\n\
         </header>\n{over}<main>\n",
        over = over(state),
        id = escaped(&document.id),
        analysis = if document.is_clean { "" } else { " · <a href=\"#figures\">analysis</a>" },
    )?;
    talk(document, out)?;
    out.write_all(b"</main>\n")?;
    if !document.is_clean {
        out.write_all(b"<section id=\"figures\">\n<h2>Analysis</h2>\n")?;
        figures(document, out)?;
        out.write_all(b"</section>\n")?;
    }
    out.write_all(b"</body>\n</html>\n")
}

/// Returns the outcome, and the positions of the participants over the turns.
fn over(state: &State) -> String {
    let standing = Standing::new(state);
    let outcome = state.ended.as_ref().map_or_else(String::new, |end| {
        let outcome = outcome(state, standing.as_ref()).unwrap_or_else(|| ended(end.reason));
        format!("<p class=\"outcome\">{}</p>\n", escaped(&outcome))
    });
    let drawing = standing.map_or_else(String::new, |standing| {
        let drawing = tracks::svg(&standing);
        format!(
            "<figure>\n<figcaption><h3>Where they stand</h3></figcaption>\n{drawing}</figure>\n"
        )
    });
    outcome + &drawing
}

/// Returns the date and time of the start of the conversation.
fn when(document: &Document) -> Option<String> {
    let at = Timestamp::from_millisecond(document.began?.0).ok()?;
    let words = at.strftime("%-d %B %Y, %H:%M UTC");
    Some(format!("<time datetime=\"{}\">{words}</time>", at.strftime("%Y-%m-%dT%H:%M:%SZ")))
}

/// Writes the narration as HTML, from first to last.
fn talk(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    let mut telling = document.telling();
    document.write_each(out, |record| {
        let event = &record.event;
        let mut page = String::new();
        for told in telling.narrate(event) {
            page.push_str(&match told {
                // the head of the page contains it
                Narrated::Opening { .. } => String::new(),
                Narrated::Note(note) => format!("<p class=\"note\">{}</p>\n", escaped(&note)),
                Narrated::Words { place, who, body } => {
                    let class = class(telling.state(), event);
                    article(&place, &who, &body, &class, thought(event))
                }
            });
        }
        telling.in_order(event, page)
    })?;
    out.write_all(telling.rest().as_bytes())
}

/// Returns the colour class for the author of an event.
fn class(state: &State, event: &Event) -> String {
    let seat = match &event.kind {
        Kind::TurnEnded(e) => {
            state.spoken(e.turn).map_or_else(|| SeatId(event.by.clone()), |spoken| spoken.seat)
        }
        Kind::HumanSaid(_) => match state.entries.last().and_then(|e| e.seat()) {
            Some(seat) => seat.clone(),
            None => return "op".into(),
        },
        _ => return "op".into(),
    };
    colour(state, &seat)
}

fn thought(event: &Event) -> &str {
    match &event.kind {
        Kind::TurnEnded(e) => e.think.as_deref().unwrap_or_default(),
        _ => "",
    }
}

fn article(place: &str, who: &str, body: &str, class: &str, thought: &str) -> String {
    let reasoning = match thought.trim() {
        "" => String::new(),
        thought => format!(
            "<details><summary>reasoning</summary><div class=\"raw\">{}</div></details>\n",
            escaped(thought)
        ),
    };
    // links can refer to an utterance by its number
    let (id, place) = match place.parse::<u32>() {
        Ok(n) => (format!(" id=\"u{n}\""), format!("<a class=\"place\" href=\"#u{n}\">{n}</a>")),
        Err(_) => (String::new(), format!("<span class=\"place\">{}</span>", escaped(place))),
    };
    let body = match body.trim_matches('\n') {
        "" => String::new(),
        body => {
            let text = words::html(body);
            // verdict and result refer to turns by their number
            let text = if id.is_empty() { with_turn_links(&text) } else { text };
            format!("<div class=\"words\">\n{text}</div>\n")
        }
    };
    format!(
        "<article class=\"{class}\"{id}>\n<h3>{place} {}</h3>\n{reasoning}{body}</article>\n",
        escaped(who)
    )
}

/// Links numbers of turns such as `#5` in a message of the host; longer numbers may be colours.
fn with_turn_links(html: &str) -> String {
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
            out.push_str(&format!("<a href=\"#u{number}\">#{number}</a>"));
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
        let page = article("3", "Ada", "words", "s1", "<b>thought</b>");
        assert!(page.starts_with("<article class=\"s1\" id=\"u3\">"), "{page}");
        let folded = "<details><summary>reasoning</summary><div class=\"raw\">&lt;b&gt;thought&lt;/b&gt;</div></details>";
        assert!(page.contains(folded), "{page}");
        assert!(!article("after 3", "Ada", "", "op", " ").contains("details"));
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
