//! Figures for confidence, judges, influence and strength in a report, checked against values worked out by hand.

use crate::batches::{ANSWERS, REVISION, at, rows, run_items, scenario};
use crate::house::House;

/// A seat that states its confidence: five times 90 %, right four times; four times 30 %, right once; once unreadable.
fn sure(house: &House) -> String {
    let scenario = scenario(
        house,
        "sure",
        "[answer]\nform = \"number\"\nconfidence = true\n[[participant]]\nid = \"ada\"\n\
         lines = [\"ANSWER: {{ item.said }}\\nCONFIDENCE: {{ item.sure }}\"]\n[[phase]]\nname = \"p\"\n",
    );
    let all = [
        (1, "0.9"),
        (1, "90%"),
        (1, "90"),
        (1, "90 %"),
        (0, "90%"),
        (1, "30%"),
        (0, "30%"),
        (0, "0.3"),
        (0, "30"),
        (1, "none"),
    ];
    let item = |(n, (said, sure)): (usize, (u32, &str))| {
        format!(
            "{{\"id\":\"i{n}\",\"question\":\"{n}?\",\"answer\":1,\"said\":{said},\"sure\":\"{sure}\"}}\n"
        )
    };
    let items: String = all.into_iter().enumerate().map(item).collect();
    run_items(house, &scenario, &items, "sure")
}

#[test]
fn confidence_is_scored_properly_and_by_band() {
    let house = House::new();
    let out = sure(&house);
    // quadratic: (4 * 0.01 + 0.81 + 0.49 + 3 * 0.09) / 9; log: (4 * 0.105 + 2.303 + 1.204 + 3 * 0.357) / 9
    assert_eq!(rows(&house, &out, "confidence"), ["sure,9,0.633333,0.555556,0.178889,0.555336"]);
    let bands = rows(&house, &out, "bands");
    assert!(bands[0].starts_with("sure,20 to 40%,4,0.25,"), "{bands:?}");
    assert!(bands[1].starts_with("sure,80 to 100%,5,0.8,"), "{bands:?}");
    assert_eq!(bands.len(), 2);
    let text = house.run(&["batch", "report", &out, "--table", "bands"]).code(0).out;
    // the interval of one in four is 5 % to 70 %
    assert!(text.contains("sure      20 to 40%         4    25%    5%  70%"), "{text}");
    let page = house.run(&["batch", "report", &out, "--format", "html"]).code(0).out;
    assert!(page.contains("Right answers, by confidence</h3>"), "{page}");
    assert_eq!(page.matches("<circle").count(), 2, "a point for each band");
    assert!(page.contains("cx=\"156.0\" cy=\"190.0\""), "30 % are right in 25 %: {page}");
    assert!(!page.contains("Judges"), "what there is nothing of is left out");
}

/// Jo prefers the first answer shown; Kim picks the side of the item in either order.
const COURT: &str = r#"
[answer]
by = "judge"
[[participant]]
id = "pro"
lines = ["It is so."]
[[participant]]
id = "con"
lines = ["It is not so."]
[[participant]]
id = "jo"
lines = [
  { for = "judge", text = '{"why": "first", "scores": {}, "winner": "Side 1"}' },
  { for = "judge", text = '{"why": "first", "scores": {}, "winner": "Side 1"}' },
]
[[participant]]
id = "kim"
lines = [
  { for = "judge", text = '{"why": "so", "scores": {}, "winner": "{{ item.then }}"}' },
  { for = "judge", text = '{"why": "so", "scores": {}, "winner": "{{ item.again }}"}' },
]
[[phase]]
name = "debate"
who = ["pro", "con"]
[verdict]
judge = JUDGES
sides = ["pro", "con"]
swap_test = true
"#;

#[test]
fn judge_that_follows_the_order_is_detected_and_its_draws_are_wrong() {
    let house = House::new();
    let items: String = (0..6)
        .map(|n| {
            let (then, again) = if n < 4 { ("Side 1", "Side 2") } else { ("Side 2", "Side 1") };
            format!(
                "{{\"id\":\"{n}\",\"question\":\"{n}?\",\"answer\":\"pro\",\"then\":\"{then}\",\"again\":\"{again}\"}}\n"
            )
        })
        .collect();
    let both = scenario(&house, "both", &COURT.replace("JUDGES", "[\"jo\", \"kim\"]"));
    let out = run_items(&house, &both, &items, "both");
    // 24 judgements: Jo gives 12 to the first, 6 of each side; Kim 6 to the first, 8 to pro and 4 to con
    assert_eq!(
        rows(&house, &out, "judges"),
        ["both,24,0,0.583333,\"con 10, pro 14\",0.75,12,12,6,0.5"]
    );
    let accuracy = rows(&house, &out, "accuracy");
    assert!(accuracy[0].starts_with("both,6,6,0,0.0,"), "a draw is a tie: {accuracy:?}");
    let jo = COURT.find("[[participant]]\nid = \"jo\"").unwrap()
        ..COURT.find("[[participant]]\nid = \"kim\"").unwrap();
    let alone = COURT.replace(&COURT[jo], "").replace("JUDGES", "[\"kim\"]");
    let alone = scenario(&house, "alone", &alone);
    let out = run_items(&house, &alone, &items, "alone");
    assert_eq!(rows(&house, &out, "judges"), ["alone,12,0,0.666667,\"con 4, pro 8\",0.5,6,6,0,"]);
    assert!(rows(&house, &out, "accuracy")[0].starts_with("alone,6,6,4,0.666667,"));
    let page = house.run(&["batch", "report", &out, "--format", "html"]).code(0).out;
    assert!(
        page.contains("won by the side shown first") && page.contains(">50.0%</text>"),
        "{page}"
    );
}

#[test]
fn influence_is_counted_by_seat_and_round() {
    let house = House::new();
    let path = scenario(
        &house,
        "turns",
        &[
            r#"
[answer]
form = "number"
[[participant]]
id = "ada"
lines = ["Seven of them.\nANSWER: 7", "Seven of them.\nANSWER: 7"]
[[participant]]
id = "bo"
lines = ["I count eight.\nANSWER: 8", "Now it is clear.\nANSWER: 7"]
[[participant]]
id = "cy"
lines = ["My sum is it.\nANSWER: 7", "Bo has shown it.\nANSWER: 8"]
"#,
            ANSWERS,
            REVISION,
        ]
        .concat(),
    );
    let out =
        run_items(&house, &path, "{\"id\":\"a\",\"question\":\"7?\",\"answer\":7}\n", "turns");
    assert_eq!(rows(&house, &out, "turns"), ["turns,2,1,1,1,1"]);
    assert_eq!(rows(&house, &out, "influence"), ["turns,ada,1,0", "turns,bo,0,1", "turns,cy,1,0"]);
    // two of three agree, which is as diverse as 1.8 equal answers; Ada repeats herself, so a third answer is not new
    assert_eq!(
        rows(&house, &out, "rounds"),
        ["turns,1,1,1.0,1,0.666667,1.8,1.0", "turns,2,1,1.0,0,0.666667,1.8,0.666667"]
    );
}

#[test]
fn strengths_follow_bradley_terry_on_shared_items() {
    let house = House::new();
    let one = sure(&house);
    let better = scenario(
        &house,
        "better",
        "[answer]\nform = \"number\"\n[[participant]]\nid = \"bo\"\nlines = [\"ANSWER: 1\"]\n[[phase]]\nname = \"p\"\n",
    );
    let silent = scenario(
        &house,
        "silent",
        "[answer]\nform = \"number\"\n[[participant]]\nid = \"bo\"\nlines = [\"Who knows?\"]\n[[phase]]\nname = \"p\"\n",
    );
    let items: String =
        (0..10).map(|n| format!("{{\"id\":\"i{n}\",\"question\":\"?\",\"answer\":1}}\n")).collect();
    let mut all = vec![one];
    all.extend(
        [(better, "better"), (silent, "silent")]
            .map(|(path, name)| run_items(&house, &path, &items, name)),
    );
    let parts: Vec<String> = all.iter().map(|out| format!("{out}/results.jsonl")).collect();
    let merged = at(&house, "all.jsonl");
    house.run(&["batch", "merge", &parts[0], &parts[1], &parts[2], "-o", &merged]).code(0);
    let strengths = rows(&house, &merged, "strengths");
    // four items that only one of them got right: log(4.5 / 0.5) between them, half of it on either side of the average
    let of = |name: &str| strengths.iter().find(|row| row.starts_with(name)).unwrap().clone();
    assert!(
        of("better").starts_with("better,4,0,1.098612,") && of("better").ends_with(",0.75"),
        "{strengths:?}"
    );
    assert!(
        of("sure").starts_with("sure,0,4,-1.098612,") && of("sure").ends_with(",0.25"),
        "{strengths:?}"
    );
    assert_eq!(strengths.len(), 2, "who has no score has no strength");
    let page = house.run(&["batch", "report", &merged, "--format", "html"]).code(0).out;
    assert!(page.contains(">no score</text>"), "{page}");
}

#[test]
fn results_of_baselines_that_are_not_run_again_count_among_all() {
    let house = House::new();
    let items = house.file("q.jsonl", "{\"id\":\"a\",\"question\":\"?\",\"answer\":37}\n");
    let out = at(&house, "out");
    let args = ["batch", "single", "--items", &items, "--out", &out, "--rehearsed"];
    let mut more = args.to_vec();
    more.push("--baselines");
    assert!(house.run(&more).code(0).err.contains("4 of 4 conversations finished"));
    let again = house.run(&args).code(0);
    assert!(again.err.contains("4 of 4 conversations finished"), "{}", again.err);
}

#[test]
fn a_page_loads_nothing_and_has_no_control_characters() {
    let house = House::new();
    let path = scenario(
        &house,
        "odd",
        "[answer]\nform = \"number\"\n[[participant]]\nid = \"ada\"\nscript = [\"false\"]\n[[phase]]\nname = \"p\"\n",
    );
    let items = house.file(
        "i.jsonl",
        "{\"id\":\"a\\u001b]0;x\\u0007\\u202eb\",\"question\":\"?\",\"answer\":1}\n",
    );
    let out = at(&house, "odd");
    house.run(&["batch", &path, "--items", &items, "--out", &out, "--trust"]).code(1);
    let page = house.run(&["batch", "report", &out, "--format", "html"]).code(0).out;
    let policy = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">";
    assert!(page.contains(policy), "{page}");
    let hidden = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(page.contains("FAILURES") || page.contains("Failures</h3>"), "{page}");
    assert!(!page.contains(hidden), "{page:?}");
}

/// A majority that is right from the start in one conversation, and from the second round in the other.
#[test]
fn the_chart_and_the_table_of_rounds_show_the_same_shares() {
    let house = House::new();
    let path = scenario(
        &house,
        "rounds",
        r#"
[answer]
form = "number"
[[participant]]
id = "ada"
lines = ["ANSWER: {{ item.first }}", "ANSWER: 7"]
[[participant]]
id = "bo"
lines = ["ANSWER: 7", "ANSWER: 7"]
[[phase]]
name = "answers"
order = "simultaneous"
sees = "question"
[[phase]]
name = "revision"
when = "agreement < 1"
order = "simultaneous"
sees = "others_last"
"#,
    );
    let items = "{\"id\":\"a\",\"question\":\"?\",\"answer\":8,\"first\":7}\n\
        {\"id\":\"b\",\"question\":\"?\",\"answer\":7,\"first\":6}\n";
    let out = run_items(&house, &path, items, "rounds");
    let rows = rows(&house, &out, "rounds");
    // the first conversation ended wrong after one round: one of two is right in the end
    assert!(rows[1].starts_with("rounds,2,1,0.5,"), "{rows:?}");
    let page = house.run(&["batch", "report", &out, "--format", "html"]).code(0).out;
    assert!(page.contains("points=\"80.0,190.0 420.0,100.0\""), "{page}");
}

#[test]
fn unread_judgements_withhold_a_score_and_items_without_a_key_are_not_wrong() {
    let house = House::new();
    let odd = COURT.replace("JUDGES", "[\"jo\", \"kim\"]").replace(
        r#"'{"why": "so", "scores": {}, "winner": "{{ item.again }}"}'"#,
        "'I cannot say.'",
    );
    // Jo now prefers the same side in either order
    let first = r#"'{"why": "first", "scores": {}, "winner": "Side 1"}'"#;
    let (head, tail) = odd.rsplit_once(first).unwrap();
    let odd = format!("{head}{}{tail}", first.replace("Side 1", "Side 2"));
    let path = scenario(&house, "odd", &odd);
    let items = "{\"id\":\"a\",\"question\":\"?\",\"answer\":\"pro\",\"then\":\"Side 1\"}\n\
        {\"id\":\"b\",\"question\":\"?\",\"then\":\"Side 1\"}\n";
    let items = items.replace("\"then\"", "\"again\":\"\",\"then\"");
    let out = run_items(&house, &path, &items, "odd");
    let judges = rows(&house, &out, "judges");
    assert!(judges[0].starts_with("odd,6,2,"), "{judges:?}");
    let accuracy = rows(&house, &out, "accuracy");
    assert!(accuracy[0].contains("withheld"), "a quarter could not be read: {accuracy:?}");
    let lenient =
        ["batch", "report", &out, "--format", "csv", "--table", "accuracy", "--max-unread", "0.3"];
    let lenient = house.run(&lenient).code(0).out;
    // both winners of the item with a key are pro
    assert!(lenient.contains("odd,2,1,1,1.0,"), "{lenient}");
    let ways = rows(&house, &out, "aggregations");
    assert!(ways.iter().all(|row| row.starts_with("odd,judge,1,1,1.0,")), "{ways:?}");
}
