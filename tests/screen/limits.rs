//! What a person sees of a limit that is near: on the line of the floor, in the transcript, in the plain text.

use crate::stage::{Stage, demo};
use colloquium::model::{Event, Kind, Ms, Seq};
use colloquium::session::{Item, Record};
use colloquium::ui::linear::Linear;
use std::sync::Arc;

fn eighth(event: &Event) -> bool {
    matches!(&event.kind, Kind::TurnEnded(end) if end.number == Some(8))
}

fn floor(stage: &mut Stage) -> String {
    stage.draw();
    let y = usize::from(stage.screen.view.areas.floor.y);
    stage.rows().remove(y)
}

#[test]
fn a_limit_that_is_near_stands_on_the_line_of_the_floor_until_it_is_reached() {
    for (width, height) in [(120, 40), (80, 24), (50, 24), (40, 10)] {
        let mut stage = Stage::new(width, height).during(7, 2);
        assert!(!floor(&mut stage).contains(" % "), "{}", floor(&mut stage));
        let mut stage = Stage::new(width, height).until(eighth).during(9, 2);
        let row = floor(&mut stage);
        assert!(row.contains("88 %"), "{width}: {row}");
        let mut stage = stage.whole();
        assert!(!floor(&mut stage).contains(" % "), "{}", floor(&mut stage));
    }
}

#[test]
fn a_limit_that_is_near_is_told_in_the_transcript_and_in_the_plain_text() {
    let mut stage = Stage::new(120, 40).until(eighth).during(9, 2);
    assert!(stage.text().contains("close to the limit"), "{}", stage.text());
    let mut told = Linear::new(Seq(0), true);
    let mut said = String::new();
    for event in
        demo().iter().take_while(|e| !matches!(e.kind, Kind::LimitReached(_) | Kind::Ended(_)))
    {
        said += &told.take(&Item::Event(Arc::new(Record::new(event.clone()).unwrap())));
    }
    assert!(said.contains("close to the limit"), "{said}");
    let (status, _) = told.hear("/status", Ms(0));
    assert!(status.contains(" % of 9 turns used"), "{status}");
}
