//! A set of sums made from a seed: items with known answers, of any difficulty, the same on every machine.

use crate::stats::mixed;
use serde_json::{Value, json};

/// The highest difficulty.
pub const HARDEST: u32 = 5;

/// Returns items: `difficulty` is the number of operations, from 1 to [`HARDEST`], over numbers of as many digits and one
/// more, up to three; 0 adds or subtracts two numbers of one digit.
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
        // a product of large numbers would be harder than all the rest
        match draw(0, if difficulty == 0 { 1 } else { 2 }) {
            0 => {
                let other = draw(least, most);
                (value, text) = (value + other, format!("{text} + {other}"));
            }
            1 => {
                let other = draw(least, most);
                (value, text) = (value - other, format!("{text} - {other}"));
            }
            _ => {
                let other = draw(2, 9);
                let whole = if step == 0 { text } else { format!("({text})") };
                (value, text) = (value * other, format!("{whole} * {other}"));
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

    /// Works a sum out from left to right, as its brackets say.
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
                // a product binds what stands before it in brackets, so the order is from left to right
                assert_eq!(item["answer"], worked_out(text), "{text}");
                assert_ne!(item["right"], item["wrong"]);
            }
        }
    }
}
