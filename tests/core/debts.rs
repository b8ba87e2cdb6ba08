//! Questions that do not name a seat, and turns that were handed the floor.

use crate::prompts::{CY, Call, act_of, calls, opened, play, two};
use colloquium::model::Purpose;

/// Returns the spoken turns of a table of three, of which all have a persona.
fn of_three(top: &str, persona: &str) -> Vec<Call> {
    let text = two(&format!("{top}\n[limits]\nutterances = 16"), "") + CY;
    let spoken = calls(opened(&text, |seat| seat.persona = Some(persona.into())), &[]);
    spoken.into_iter().filter(|call| call.purpose == Purpose::Speak).collect()
}

#[test]
fn a_question_that_an_act_asks_for_is_owed_an_answer_without_a_name() {
    for (top, is_next) in [("", false), ("policy = \"bids\"", true)] {
        let turns = of_three(top, "ASKS IF TOLD");
        let is_asking = |n: &usize| act_of(&turns[*n]) == Some(0);
        let asking: Vec<usize> = (0..turns.len() - 3).filter(is_asking).collect();
        assert!(!asking.is_empty(), "{top}");
        for n in asking {
            let name = turns[n].last().split("Put one question to ").nth(1).unwrap();
            let seat = name.split(' ').next().unwrap().to_lowercase();
            let next = (n + 1..turns.len()).find(|m| turns[*m].seat == seat).unwrap();
            let cue = turns[next].last();
            assert!(cue.contains("Answer "), "{top} {n}: {cue}");
            assert!(!is_next || next == n + 1, "{top} {n} {next}");
        }
    }
}

#[test]
fn a_question_at_the_end_is_put_to_the_only_other_speaker() {
    let turns = play("[limits]\nutterances = 6", "persona = \"ENDS ASKING\"", &[]);
    let of_bo = turns.iter().filter(|call| call.seat == "bo" && call.purpose == Purpose::Speak);
    for call in of_bo {
        assert!(call.last().contains("Answer Ada"), "{}", call.last());
    }
    let mentioned = of_three("", "MENTIONS CY");
    let of_cy: Vec<&Call> = mentioned.iter().filter(|c| c.seat == "cy").collect();
    let is_asked = |call: &&Call| call.last().contains("Answer ");
    assert!(of_cy.iter().all(is_asked), "{}", of_cy[0].last());
    let three = of_three("", "ENDS ASKING");
    // later ones are asked by acts
    let first = &three[..3];
    assert!(first.iter().all(|call| !call.last().contains("Answer ")), "{}", three[2].last());
}

#[test]
fn a_seat_that_is_handed_the_floor_gets_no_other_task() {
    let top = "policy = { name = \"round_robin\", mentions = \"once\" }";
    let turns = of_three(top, "HANDS OVER");
    let named: Vec<&Call> = turns.iter().filter(|c| c.last().contains(" turned to you.")).collect();
    assert!(named.len() > 3, "{}", named.len());
    let acts = ["Put one question", "Tell a case", "Say what your own", "Say what you would give"];
    assert!(named.iter().all(|c| acts.iter().all(|act| !c.last().contains(act))));
}
