//! Arithmetic items generated from a seed: known answers, adjustable difficulty, identical on every machine.

use crate::stats::mixed;
use serde_json::{Value, json};

/// Maximum difficulty.
pub const HARDEST: u32 = 5;

/// Generates `count` items. `difficulty` is the number of operations, from 1 to [`HARDEST`]; the operands have one
/// digit more than that, but at most three. Difficulty 0 is a single addition or subtraction of one-digit numbers.
pub fn items(count: u64, difficulty: u32, seed: u64) -> impl Iterator<Item = Value> {
    (0..count).map(move |n| item(n, difficulty, seed))
}

fn item(n: u64, difficulty: u32, seed: u64) -> Value {
    let mut drawn = mixed(seed ^ mixed(n));
    let mut draw = |least: i64, most: i64| {
        drawn = mixed(drawn);
        let span = (most - least + 1).unsigned_abs();
        least + i64::try_from(drawn % span).unwrap_or(0)
    };
    let (least, most) = match difficulty {
        0 => (1, 9),
        n => (10, 10i64.pow(n.min(2) + 1) - 1),
    };
    let mut value = draw(least, most);
    let mut text = value.to_string();
    for step in 0..difficulty.clamp(1, HARDEST) {
        // one factor stays below 10: products of large numbers would be much harder than the other operations
        match draw(0, if difficulty == 0 { 1 } else { 2 }) {
            0 => {
                let other = draw(least, most);
                value += other;
                text = format!("{text} + {other}");
            }
            1 => {
                let other = draw(least, most);
                value -= other;
                text = format!("{text} - {other}");
            }
            _ => {
                let other = draw(2, 9);
                let whole = if step == 0 { text } else { format!("({text})") };
                value *= other;
                text = format!("{whole} * {other}");
            }
        }
    }
    json!({
        "id": format!("sum-{seed}-{difficulty}-{n}"),
        "question": format!("What is {text}?"),
        "answer": value,
        "difficulty": difficulty,
        "right": value.to_string(),
        "wrong": (value + draw(1, 9)).to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Evaluates an expression from left to right, ignoring brackets.
    fn worked_out(text: &str) -> i64 {
        let plain =
            text.trim_start_matches("What is ").trim_end_matches('?').replace(['(', ')'], "");
        let mut words = plain.split(' ');
        let mut value: i64 = words.next().unwrap().parse().unwrap();
        while let (Some(sign), Some(other)) = (words.next(), words.next()) {
            let other: i64 = other.parse().unwrap();
            value = match sign {
                "+" => value + other,
                "-" => value - other,
                _ => value * other,
            };
        }
        value
    }

    #[test]
    fn sums_come_out_as_they_say_and_the_same_each_time() {
        for difficulty in 0..=HARDEST {
            let all: Vec<Value> = items(200, difficulty, 7).collect();
            assert_eq!(all, items(200, difficulty, 7).collect::<Vec<_>>());
            for item in &all {
                let text = item["question"].as_str().unwrap();
                // the generator brackets the left operand of every product, so left-to-right order is right
                assert_eq!(item["answer"], worked_out(text), "{text}");
                assert_ne!(item["right"], item["wrong"]);
            }
        }
    }
}
