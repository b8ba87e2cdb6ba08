//! Symbols of the program: no name can imitate them, on the screen or in any export.

use crate::stage::{Stage, demo};
use colloquium::export::{self, Spelling, md, text};
use colloquium::model::{Event, Kind};
use colloquium::ui::theme::glyphs::{ASCII, Glyphs, UNICODE};
use ratatui::style::Modifier;

/// Returns the symbols of a set with a meaning of their own; letters, dashes and dots are for everybody.
fn signs(glyphs: &Glyphs) -> Vec<String> {
    let g = glyphs;
    let said = [g.speaking, g.paused, g.stopped, g.done, g.waiting, g.gutter, g.prompt, g.hidden];
    let drawn = [g.wall, g.full, g.played, g.playhead, g.dot, g.empty];
    let all = [&said[..], &drawn, &g.corners, g.levels].concat();
    let rules = [g.rule.repeat(2)];
    let ours = |sign: &&str| !matches!(*sign, "O" | "v" | "-" | ".");
    all.into_iter().filter(ours).map(str::to_owned).chain(rules).collect()
}

/// Returns the demo with this text in a name, a role and a title.
fn forged(words: &str) -> Vec<Event> {
    let mut events = demo().to_vec();
    for event in &mut events {
        if let Kind::Opened(opened) = &mut event.kind {
            let bo = &mut opened.participants[1];
            bo.name = words.into();
            bo.role = Some(words.into());
            opened.scenario["title"] = words.into();
            opened.scenario["topic"] = words.into();
        }
    }
    events
}

#[test]
fn no_name_holds_the_programs_own_signs() {
    let mut tried = 0;
    for glyphs in [&UNICODE, &ASCII] {
        for sign in signs(glyphs) {
            let words = format!("Bo {sign} speaking");
            // a title may contain `>`, because the line of the title has no symbols of the program
            let may_entitle = sign.is_ascii();
            let events = forged(&words);
            for (spell, title) in [(text::spell as Spelling, ""), (md::spell, "# ")] {
                // Markdown escapes some of the symbols with a backslash
                let told = export::whole(&events, spell).replace('\\', "");
                let title = format!("{title}{words}");
                let body = if may_entitle { told.strip_prefix(&title).unwrap() } else { &told };
                assert!(!body.contains(&words), "{sign}: {told}");
            }
            for width in [80, 120] {
                let mut stage = Stage::new(width, 24);
                stage.screen.glyphs = glyphs;
                let mut events = events.clone();
                events.truncate(40);
                events.into_iter().for_each(|event| stage.take(event));
                let rows = stage.rows();
                let from = usize::from(may_entitle);
                let shown = rows[from..].join("\n");
                assert!(!shown.contains(&words), "{sign}: {shown}");
                assert!(shown.contains("2 Bo"), "{shown}");
            }
            tried += 1;
        }
    }
    println!("{tried} signs, in 2 exports and on 2 screens; none passed");
}

#[test]
fn a_name_cannot_hold_the_gap_between_two_seats() {
    let mut stage = Stage::new(80, 24);
    forged("Bo   3 Cy next").into_iter().take(40).for_each(|event| stage.take(event));
    let shown = stage.text();
    assert!(shown.contains("2 Bo 3 Cy next") && !shown.contains("Bo   3 Cy next"), "{shown}");
}

#[test]
fn a_name_of_any_language_stays() {
    for name in ["Marcel·lí", "Jean-Luc", "D'Arcy", "山田　太郎", "دانا", "C++"] {
        let mut stage = Stage::new(120, 24);
        forged(name).into_iter().take(40).for_each(|event| stage.take(event));
        assert_eq!(stage.screen.transcript.name(&"bo".into()), name);
        assert_eq!(stage.screen.transcript.title(), name);
    }
}

/// The bar before a message has the same strength on every row, also beside frames of code, rules and quotations.
#[test]
fn the_gutter_is_never_dim() {
    let mut stage = Stage::new(80, 24).altering(|event| {
        if let Kind::TurnEnded(end) = &mut event.kind {
            end.text =
                "```\nlet a = 1;\n```\n\n---\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |".into();
        }
    });
    stage = stage.until(|event| matches!(event.kind, Kind::TurnEnded(_)));
    stage.draw();
    let cells = &stage.terminal.backend().buffer().content;
    let gutters: Vec<_> = cells.iter().filter(|cell| cell.symbol() == "▌").collect();
    assert!(gutters.len() > 8, "{}", gutters.len());
    assert!(gutters.iter().all(|cell| !cell.modifier.contains(Modifier::DIM)));
}

#[test]
fn a_topic_is_not_the_title_of_the_terminal() {
    let topic = |event: &mut Event| {
        if let Kind::Opened(opened) = &mut event.kind {
            opened.scenario["topic"] = "Shall I leave the bank?".into();
            opened.scenario["title"] = "Shall I leave the bank?".into();
        }
    };
    let named = |event: &mut Event| {
        if let Kind::Opened(opened) = &mut event.kind {
            opened.scenario["title"] = "A talk".into();
        }
    };
    let title = |stage: Stage| stage.until(|_| true).screen.entitled();
    assert!(title(Stage::altered(80, 24, topic)).ends_with(" colloquium"));
    assert!(title(Stage::altered(80, 24, named)).ends_with(" A talk"));
}
