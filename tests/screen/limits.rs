//! Limits that are near, as shown on the status line, in the transcript, and in the plain text.

use crate::stage::{Stage, demo};
use colloquium::model::{Command, Event, Kind, Price, Seq, Usage, Usd, VoiceSpec};
use colloquium::session::{Item, Record};
use colloquium::ui::linear::Linear;
use colloquium::ui::request::Request;
use colloquium::ui::theme::ThemeRole;
use crossterm::event::KeyCode;
use serde_json::json;
use std::sync::Arc;

fn eighth(event: &Event) -> bool {
    matches!(&event.kind, Kind::TurnEnded(end) if end.number == Some(8))
}

fn floor(stage: &mut Stage) -> String {
    stage.draw();
    let y = usize::from(stage.screen.view.areas.floor.y);
    stage.rows().remove(y)
}

/// Returns the demo in its ninth turn, with a budget that is nearly used up.
fn near(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height).until(eighth);
    let set = json!({"do": "limit", "set": {"usd": 0.19}, "key": "k:1", "targets": {}});
    stage.happens("operator", "command.given", set);
    let at = json!({"what": "usd", "value": 0.1712, "limit": 0.19});
    stage.happens("engine", "limit.near", at);
    stage
}

#[test]
fn a_budget_that_is_near_is_on_the_status_line_and_a_planned_length_is_not() {
    for (width, height) in [(120, 40), (80, 24), (50, 24), (40, 10)] {
        let mut stage = Stage::new(width, height).until(eighth).during(9, 2);
        let text = stage.text();
        assert!(!text.contains(" % ") && !text.contains("close to the limit"), "{text}");
        let count = if width < 60 { "  9/9  " } else { "turn 9 of 9" };
        assert!(text.contains(count), "{text}");
        let row = floor(&mut near(width, height));
        assert!(row.contains(" % "), "{width}: {row}");
    }
}

#[test]
fn a_budget_that_is_near_is_in_the_transcript_and_a_planned_length_is_nowhere() {
    let mut stage = near(120, 40);
    assert!(stage.text().contains("close to the limit"), "{}", stage.text());
    let mut told = Linear::new(Seq(0), true, None);
    let mut said = String::new();
    for event in
        demo().iter().take_while(|e| !matches!(e.kind, Kind::LimitReached(_) | Kind::Ended(_)))
    {
        said += &told.take(&Item::Event(Arc::new(Record::new(event.clone()).unwrap())));
    }
    assert!(said.contains("[9]") && !said.contains("close to"), "{said}");
}

/// A circular conversation is reported on the status line for a round, with the key for a note.
#[test]
fn circles_stand_on_the_line_of_the_floor_with_the_key_for_a_note() {
    for (width, height) in [(120, 40), (80, 24), (50, 24)] {
        let mut stage = Stage::new(width, height).until(eighth);
        assert!(!floor(&mut stage).contains("repeating"), "{}", floor(&mut stage));
        let about = json!({"text": "They repeat themselves since turn 6. /note steers them.", "about": {"loop": 6}});
        stage.happens("engine", "warning", about);
        let shown = stage.rows();
        let said = shown.iter().position(|row| row.contains("They repeat themselves")).unwrap();
        let error = stage.screen.theme.style(ThemeRole::FloorError).fg.unwrap();
        let cells = &stage.terminal.backend().buffer().content;
        let cells = cells.chunks(usize::from(width)).nth(said).unwrap();
        assert!(cells.iter().all(|cell| cell.fg != error), "it is not an error");
        let row = floor(&mut stage);
        assert!(
            row.contains("repeating themselves, /note to steer")
                || width == 50 && row.contains("repeating"),
            "{width}: {row}"
        );
    }
}

/// A limit in money without room for a call holds before it is spent; the card names the sum that lets it continue.
#[test]
fn the_way_on_at_a_limit_in_money_is_named_with_its_sum() {
    let mut stage = Stage::new(120, 40).until(eighth);
    let set = json!({"do": "limit", "set": {"usd": 0.19}, "key": "k:1", "targets": {}});
    stage.happens("operator", "command.given", set);
    let at = json!({"what": "usd", "value": 0.1712, "limit": 0.19});
    stage.happens("engine", "limit.reached", at);
    let text = stage.text();
    assert!(floor(&mut stage).contains("stopped at the budget of $0.19"), "{text}");
    assert!(text.contains("; the next turn may need more than the $0.19 left"), "{text}");
    assert!(text.contains("1 raise to $0.38"), "{text}");
    assert_eq!(stage.press(&[KeyCode::Char('r')]).len(), 1);
    let told = "queued: the limit stops retries too, /more-round raises it";
    assert!(stage.text().contains(told), "{}", stage.text());
    stage.press(&[KeyCode::Char(' ')]);
    let told =
        "stopped at the budget of $0.19; /more-round raises it to $0.38, /limit sets another";
    assert!(stage.text().contains(told), "{}", stage.text());
    let asked = stage.press(&[KeyCode::Char('+')]);
    let raised = asked.iter().find_map(|r| match r {
        Request::Send(Command::Limit { set }) => set.usd,
        _ => None,
    });
    assert_eq!(raised.map(|usd| usd.to_string()).as_deref(), Some("$0.38"));
    assert!(stage.text().contains("limit is now $0.38"), "{}", stage.text());
}

/// Reserved money of running turns is shown beside the amount spent, and the card of a limit states how much the next
/// turn may need.
#[test]
fn reserved_money_and_next_cost_are_shown() {
    let priced = || {
        Stage::altered(120, 40, |event| match &mut event.kind {
            Kind::Opened(opened) => {
                opened.scenario["limits"]["usd"] = json!(0.2);
                opened.scenario["limits"]["tokens"] = json!(81_000);
                opened.participants.iter_mut().for_each(|p| {
                    p.price = Some(Price(1.0, 10.0));
                    p.voice = VoiceSpec::Model(Default::default());
                });
            }
            Kind::CallStarted(call) => {
                call.parameters.prompt_tokens = Some(10_000);
                call.parameters.max_tokens = Some(4_000);
            }
            Kind::TurnEnded(end) => {
                end.usage = Some(Usage { input: 9_000, output: 1_100, ..Usage::default() });
                end.cost = Some(Usd(20_000_000));
            }
            _ => {}
        })
    };
    let table = |mut stage: Stage| {
        stage.press(&[KeyCode::F(2)]);
        stage.text()
    };
    let text = table(priced().during(1, 1));
    assert!(text.contains("$0 of $0.20, $0.05 held"), "{text}");
    let text = table(priced().during(4, 2));
    assert!(text.contains("$0.06 of $0.20, $0.05 held"), "{text}");
    let mut stage = priced().until(eighth);
    let text = table(priced().until(eighth));
    assert!(!text.contains(" held"), "{text}");
    let at = json!({"what": "usd", "value": 0.16, "limit": 0.2, "next": 0.065});
    stage.happens("engine", "limit.reached", at);
    let text = stage.text();
    assert!(text.contains("BUDGET OF $0.20 ━"), "{text}");
    let told = "the next turn does not fit: $0.16 of $0.20 used, it may cost $0.0650";
    assert!(text.contains(&format!("┃ {told} ")), "{text}");
    assert!(text.contains("1 raise to $0.40"), "{text}");
    let told = "the next turn does not fit: $0.16 of $0.20 used";
    assert_eq!(text.matches(told).count(), 2, "the transcript too: {text}");
    stage.press(&[KeyCode::Char('a'), KeyCode::Char('4')]);
    assert!(stage.text().contains("limit  $0.20"), "a sum among the events: {}", stage.text());
    let mut stage = priced().until(eighth);
    let at = json!({"what": "tokens", "value": 80_800, "limit": 81_000, "next": 1_200});
    stage.happens("engine", "limit.reached", at);
    let text = stage.text();
    let told = "the next turn does not fit: 80800 of 81000 used, $0.16 spent, it may use";
    assert!(text.contains(told), "{text}");
    assert!(text.contains("raise to 162000 tokens, about $0.16"), "all that it allows: {text}");
}

/// Usage without a price is not shown as a sum.
#[test]
fn a_limit_card_tells_of_money_only_where_there_are_prices() {
    let mut stage = Stage::altered(120, 40, |event| {
        if let Kind::TurnEnded(end) = &mut event.kind {
            end.usage = Some(Usage { input: 90, output: 9, ..Usage::default() });
        }
    });
    stage = stage.until(|e| matches!(e.kind, Kind::LimitReached(_)));
    let text = stage.text();
    assert!(text.contains("✓ 9 turns, as planned ") && !text.contains('$'), "{text}");
}
