//! Speech at reading speed: words of a fast model are held back, and the next turn waits for them.

use crate::harness::{Play, play, round_robin, stage};
use colloquium::model::*;

#[tokio::test]
async fn a_fast_model_speaks_at_reading_speed_and_the_next_turn_waits() {
    let fast = || stage(|_| Play::Words("one two three four five six seven eight".into(), 1));
    let ended = |events: &[Event]| -> Vec<u64> {
        let ends = events.iter().filter(|e| matches!(e.kind, Kind::TurnEnded(_)));
        ends.map(|e| e.ms.0).collect()
    };
    let live = play(round_robin(&["a", "b"], 2), fast(), &[]).await;
    let mut slow = fast();
    slow.is_at_reading_pace = true;
    let slow = play(round_robin(&["a", "b"], 2), slow, &[]).await;
    assert_eq!(slow.texts(), live.texts());
    assert_eq!(ended(&live.events), [8, 16]);
    // 240 ms for each word before the last one
    let ends = ended(&slow.events);
    assert!(ends[0] >= 7 * 240 && ends[1] >= ends[0] + 7 * 240, "{ends:?}");
}

#[tokio::test]
async fn a_slow_model_is_not_slowed_down() {
    let slow = || stage(|_| Play::Words("one two three four".into(), 900));
    let mut paced = slow();
    paced.is_at_reading_pace = true;
    let paced = play(round_robin(&["a"], 1), paced, &[]).await;
    let live = play(round_robin(&["a"], 1), slow(), &[]).await;
    let end = |events: &[Event]| events.last().map(|e| e.ms);
    assert_eq!(end(&paced.events), end(&live.events));
}
