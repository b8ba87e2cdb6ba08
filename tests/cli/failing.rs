//! Repeated failures for the same reason are reported once, with a count.

use crate::house::House;

#[test]
fn a_reason_that_befalls_everybody_is_told_once_with_a_count() {
    let house = House::new();
    let seat = |id: &str, script: &str| {
        // one of them retries, so that the others need not wait
        let retry = u8::from(id == "ada");
        format!(
            "[[participant]]\nid = \"{id}\"\nscript = [\"sh\", \"-c\", \"{script}\"]\n\
             on_failure = {{ retry = {retry} }}\n"
        )
    };
    let gone = "echo down >&2; exit 3";
    let seats = [seat("ada", gone), seat("bo", gone), seat("cy", gone)].concat();
    let path = house.file("gone.toml", &format!("title = \"Gone\"\n{seats}"));
    let ran = house.run(&["run", &path, "--headless", "--trust"]).code(1);
    assert_eq!(ran.out.matches("retrying ").count(), 1, "{}", ran.out);
    assert_eq!(ran.out.matches("] ada failed and was skipped: ").count(), 1, "{}", ran.out);
    assert_eq!(ran.out.matches("the same failure for bo, cy").count(), 1, "{}", ran.out);
    let one = [seat("ada", "echo hello"), seat("bo", gone)].concat();
    let text = format!("title = \"One\"\n{one}[limits]\nutterances = 2\n");
    let path = house.file("one.toml", &text);
    let ran = house.run(&["run", &path, "--headless", "--trust"]);
    assert!(ran.out.contains("bo failed and was skipped: "), "{}", ran.out);
}

#[test]
fn a_pause_after_a_failure_names_the_participant() {
    let house = House::new();
    let text = "title = \"Fails\"\n[[participant]]\nid = \"prof-bo\"\nname = \"Bo Diddley\"\n\
        script = [\"sh\", \"-c\", \"echo oops >&2; exit 3\"]\n\
        on_failure = { retry = 0, then = \"pause\" }\n";
    let path = house.file("pauses.toml", text);
    let steer = house.file("steer.jsonl", "{\"when\": \"turn_count == 9\", \"do\": \"pause\"}\n");
    let ran = house.run(&["run", &path, "--headless", "--trust", "--steer", &steer]);
    assert!(ran.out.contains("paused: Bo Diddley: "), "{}", ran.out);
    assert!(!ran.out.contains("prof-bo"), "{}", ran.out);
}
