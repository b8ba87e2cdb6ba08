//! All faults of a scenario are reported at once, each with its line, its key and a fix.

use crate::scenario_rows::ROWS;
use colloquium::scenario::{Override, Source, bundled, load};

fn source(text: &str) -> Source {
    Source { name: "town.toml".into(), text: text.into(), settings: vec![] }
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(faults(&source(text)), expected, "{text}");
}

#[track_caller]
fn check_rest(rest: &str, expected: &[&str]) {
    check(&format!("title = \"T\"\n[[participant]]\nid = \"ada\"\n{rest}"), expected);
}

fn faults(source: &Source) -> Vec<String> {
    let Err(faults) = load(source, ROWS) else { return vec![] };
    let line = |f: &colloquium::scenario::Fault| {
        assert!(!f.fix.is_empty(), "{f:?} shows no way out");
        let place = f.place.as_ref().map_or("-".into(), |p| format!("{}:{}", p.line, p.column));
        format!("{place} {}: {}", f.key, f.message)
    };
    faults.list.iter().map(line).collect()
}

#[test]
fn five_faults_in_three_places_give_five_reports() {
    check(
        r#"title = "Town hall"
policy = "round_robbin"

[[participant]]
id = "ada"
lines = 7
weigth = 2

[[participant]]
id = "ada"

[limits]
utterances = 0
"#,
        &[
            "2:10 policy: unknown \"round_robbin\"",
            "6:9 participant[1].lines: takes a list, not 7",
            "7:1 participant[1].weigth: unknown key",
            "10:6 participant[2].id: \"ada\" is taken by \"ada\"",
            "13:14 limits.utterances: takes a whole number from 1 to 100000, not 0",
        ],
    );
}

#[test]
fn a_report_shows_file_line_key_and_the_way_out() {
    let text =
        "title = \"T\"\n[[participant]]\nid = \"ada\"\nweigth = 2\n[rehearsed]\nadda = [\"Hm.\"]\n";
    let report = load(&source(text), ROWS).unwrap_err().to_string();
    insta::assert_snapshot!(report, @r#"
    error: participant[1].weigth: unknown key
     --> town.toml:4:1
      |
    4 | weigth = 2
      | ^^^^^^
      |
      = hint: the nearest key is `weight`

    error: rehearsed.adda: no such participant
     --> town.toml:6:1
      |
    6 | adda = ["Hm."]
      | ^^^^
      |
      = hint: the nearest is `ada`
    "#);
}

#[test]
fn invalid_toml_is_one_fault() {
    check("title = \"T\nx = 1\n[[", &["1:11 : not TOML: invalid basic string, expected `\"`"]);
    check("a = 1\na = 2\nb = ", &["2:1 : not TOML: duplicate key"]);
    check(&(["a"; 1_000].join(".") + " = 1"), &["1:1 : not TOML: recursion limit"]);
}

#[test]
fn missing_required_keys_are_reported() {
    check("", &["1:1 title: is missing", "1:1 participant: is missing"]);
    check(
        "title = \"T\"\nparticipant = []",
        &["2:15 participant: takes a list, not an empty list"],
    );
    check(
        "title = \" \"\n[[participant]]\nrole = \"x\"",
        &["1:9 title: takes text on one line, not \" \"", "2:1 participant[1].id: is missing"],
    );
    // a typo is one fault, not an unknown key and a missing one
    check("titel = \"T\"\n[[participant]]\nid = \"ada\"", &["1:1 titel: unknown key"]);
}

#[test]
fn replacing_rule_has_a_replacement() {
    check_rest(
        "model = \"a:b\"\non_failure = { then = \"replace\" }",
        &["5:23 participant[1].on_failure.then: \"replace\" needs `fallbacks`"],
    );
    check_rest(
        "lines = [\"x\"]\nfallbacks = [\"a:b\"]",
        &["5:1 participant[1].fallbacks: is for models, and this participant has another voice"],
    );
    check_rest(
        "fallbacks = [\"a b\"]",
        &[
            "4:14 participant[1].fallbacks[1]: takes a model: \"provider:name\", or a word such as \"claude\", not \"a b\"",
        ],
    );
}

#[test]
fn limits_have_least_values() {
    check_rest(
        "[limits]\nusd = 0\ntokens = 0",
        &[
            "5:7 limits.usd: takes a number from 0.000001 to 1000000, not 0",
            "6:10 limits.tokens: takes a whole number from 1 to 1000000000000, not 0",
        ],
    );
    check_rest(
        "human = { seconds = 5, then = \"stand_in\" }",
        &["4:31 participant[1].human.then: unknown \"stand_in\""],
    );
    let phase = "[[phase]]\nname = \"x\"\nuntil = \"paused\"\nwords = [2, 1]";
    check(
        &format!("title = \"T\"\npolicy = \"phases\"\nparticipant = [{{ id = \"a\" }}]\n{phase}"),
        &[
            "6:9 phase[1].until: needs `rounds` as an upper bound",
            "7:9 phase[1].words: takes two numbers, the smaller one first",
        ],
    );
}

#[test]
fn a_seat_has_a_good_id_and_one_voice() {
    for id in ["operator", "engine", "all"] {
        let expected = format!("3:6 participant[1].id: \"{id}\" is reserved");
        check(&format!("title = \"T\"\n[[participant]]\nid = \"{id}\""), &[&expected]);
    }
    for id in ["Ada", "a b", "ä", ""] {
        let expected = format!(
            "3:6 participant[1].id: takes lower-case letters, digits, `-` and `_`, not {id:?}"
        );
        check(&format!("title = \"T\"\n[[participant]]\nid = \"{id}\""), &[&expected]);
    }
    let talk = |first: &str, second: &str| {
        format!(
            "title = \"T\"\n[[participant]]\nid = \"{first}\"\nlines = [\"x\"]\n\
             [[participant]]\nid = \"{second}\"\nlines = [\"x\"]"
        )
    };
    check(&talk("needs_analyst", "a_b"), &[]);
    check(
        &talk("a-b", "a_b"),
        &["6:6 participant[2].id: \"a_b\" differs from \"a-b\" only by `-` and `_`"],
    );
    check_rest(
        "human = true\nlines = [\"a\"]",
        &["5:1 participant[1].lines: is a second voice of \"ada\" beside `human`"],
    );
    check_rest(
        "human = true\nstand_in = { model = \"a:b\", script = [\"x\"] }",
        &["5:29 participant[1].stand_in.script: is a second voice beside `model`"],
    );
    check_rest("stand_in = {}", &["4:12 participant[1].stand_in: has no voice"]);
    check_rest("human = false", &["4:9 participant[1].human: takes true or a table, not false"]);
    check_rest("human = { then = \"pass\" }", &["4:9 participant[1].human.seconds: is missing"]);
    check_rest(
        "model = \"a gpt\"",
        &[
            "4:9 participant[1].model: takes a model: \"provider:name\", or a word such as \"claude\", not \"a gpt\"",
        ],
    );
    check_rest(
        "pace = 70",
        &["4:8 participant[1].pace: is for rehearsed lines, and this participant has none"],
    );
}

#[test]
fn numbers_have_ranges() {
    check_rest(
        "weight = 0\nmax_utterances = 1.5\ntimeout = \"0s\"\non_failure = { retry = 11 }",
        &[
            "4:10 participant[1].weight: takes a number from 0.001 to 1000, not 0",
            "5:18 participant[1].max_utterances: takes a whole number from 1 to 100000, not 1.5",
            "6:11 participant[1].timeout: takes 1 to 86400 seconds, as a number or as text like \"30s\", not \"0s\"",
            "7:24 participant[1].on_failure.retry: takes a whole number from 0 to 10, not 11",
        ],
    );
    check_rest(
        "[limits]\nrounds = -1\nseconds = 99999999999999999999",
        &[
            "5:10 limits.rounds: takes a whole number from 1 to 10000, not -1",
            "6:11 limits.seconds: takes a whole number from 1 to 31536000, not 9223372036854775807",
        ],
    );
    check(
        "title = \"T\"\nparallel = 0\nparticipant = [{ id = \"a\" }]",
        &["2:12 parallel: takes a whole number from 1 to 64, not 0"],
    );
}

#[test]
fn policies_and_their_options_are_known() {
    let policy = |policy: &str, expected: &[&str]| {
        check(
            &format!("title = \"T\"\npolicy = {policy}\nparticipant = [{{ id = \"a\" }}]"),
            expected,
        );
    };
    policy(r#"{ name = "round_robin", order = "shuffled", mentions = "once", rounds = 2 }"#, &[]);
    policy(r#"{ name = "simultaneous", order = "shuffled" }"#, &["2:35 policy.order: unknown key"]);
    policy(
        r#"{ name = "round_robin", mentions = "twice" }"#,
        &["2:45 policy.mentions: unknown \"twice\""],
    );
    policy(r#"{ mentions = "once" }"#, &["2:10 policy.name: is missing or not a string"]);
    policy("7", &["2:10 policy: takes the name of a policy, or a table, not 7"]);
    policy(r#""phases""#, &["2:10 policy: phases needs at least one [[phase]]"]);
}

#[test]
fn phases_and_their_speakers() {
    let debate = |phase: &str, expected: &[&str]| {
        let seats = "[[participant]]\nid = \"ada\"\nrole = \"pro\"\n[[participant]]\nid = \"bo\"\n";
        check(&format!("title = \"T\"\npolicy = \"phases\"\n{seats}[[phase]]\n{phase}"), expected);
    };
    debate("name = \"x\"\nwho = [\"pro\", \"all but ada\"]\norder = \"shuffled\"\nrounds = 2", &[]);
    debate("name = \"x\"\nwho = \"all but pro\"\norder = \"simultaneous\"", &[]);
    debate(
        "name = \"x\"\nwho = [\"prro\"]\norder = \"shufled\"",
        &[
            "10:7 phase[1].who: no participant or role \"prro\"",
            "11:9 phase[1].order: unknown \"shufled\"",
        ],
    );
    debate("name = \"x\"\norder = \"phases\"", &["10:9 phase[1].order: unknown \"phases\""]);
    debate("who = \"all\"", &["8:1 phase[1].name: is missing"]);
    check_rest(
        "role = \"pro\"\n[[phase]]\nname = \"x\"\nwho = \"all but pro\"",
        &[
            "5:1 phase: needs policy = \"phases\", and the policy is round_robin",
            "7:7 phase[1].who: leaves no one",
        ],
    );
}

#[test]
fn macros_of_character_cards_are_taken_or_named() {
    let seat = "title = \"T\"\n[[participant]]\nid = \"ada\"\nlines = [\"a\"]\npersona = ";
    let warned = |persona: &str| -> Vec<String> {
        let loaded = load(&source(&format!("{seat}\"{persona}\"\n")), ROWS).unwrap();
        let line = |w: &colloquium::scenario::Fault| {
            format!("{}: {}", w.place.as_ref().unwrap().column, w.message)
        };
        loaded.warnings.list.iter().map(line).collect()
    };
    assert_eq!(warned("You are {{char}}, friend of {{user}}."), [""; 0]);
    let found = warned("{{char}} has {{random::a::b}} in {{ topik }}");
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[0], "25: left out of the prompt: {{random::a::b}}");
    assert!(found[1].contains("topik"), "{found:?}");
}

#[test]
fn conditions_templates_and_stop_rules_are_read() {
    // the messages of these faults come from `expr`
    let text = "title = \"T\"\n[[participant]]\nid = \"ada\"\npersona = \"You are {{ me.name\"\n\
        lines = [\"{% if %}\", { text = \"a\", when = \"1 +\" }]\n[[stop]]\nwhen = \"turn_count >\"";
    let found = faults(&source(text));
    let places: Vec<&str> = found.iter().map(|f| f.split_once(": ").unwrap().0).collect();
    assert_eq!(
        places,
        [
            "4:20 participant[1].persona",
            "5:17 participant[1].lines[1]",
            "5:46 participant[1].lines[2].when",
            "7:21 stop[1].when",
        ]
    );
    check_rest(
        "[[stop]]\n[[stop]]\nword = \"X\"\nby = \"zoe\"\n[[stop]]\nwhen = \"true\"\nword = \"X\"\n[[stop]]\nwhen = \"true\"\nby = \"ada\"",
        &[
            "4:1 stop[1]: has no `when`, `word`, `judge`, `agreement` or `loop`",
            "7:6 stop[2].by: no participant or role \"zoe\"",
            "10:8 stop[3]: has both `when` and `word`",
            "13:6 stop[4].by: belongs to `word`, and this rule has `when`",
        ],
    );
}

#[test]
fn a_fault_quotes_no_control_characters() {
    check_rest(
        "\"a\\u001b[2J\" = 1\nrole = \"x\\u0007\"\n[rehearsed]\n\"\\u001b\" = [\"a\"]",
        &[
            "4:1 participant[1].a\\u{1b}[2J: unknown key",
            "5:8 participant[1].role: takes text on one line or a list, not \"x\\u{7}\"",
            "7:1 rehearsed.\\u{1b}: no such participant",
        ],
    );
}

#[test]
fn a_setting_is_checked_like_the_text() {
    let with = |settings: &[&str]| {
        let text = "title = \"T\"\n[[participant]]\nid = \"ada\"\n[[participant]]\nid = \"bo\"\n";
        let settings = settings.iter().map(|s| Override::parse(s).expect(s)).collect();
        Source { settings, ..source(text) }
    };
    let good =
        with(&["limits.utterances=3", "participant.bo.name=Bo B", "participant[1].weight=2"]);
    let loaded = load(&good, ROWS).unwrap();
    assert_eq!(loaded.scenario.limits.utterances, Some(3));
    assert_eq!((&*loaded.participants[1].name, loaded.participants[0].weight), ("Bo B", 2.0));
    let all = load(&with(&["participant.*.weight=3", "participant.bo.weight=2"]), ROWS).unwrap();
    assert_eq!(all.participants.iter().map(|seat| seat.weight).collect::<Vec<_>>(), [3.0, 2.0]);
    for (setting, expected) in [
        ("limits.utterance=3", "- limits.utterance: unknown key"),
        (
            "limits.utterances=many",
            "- limits.utterances: takes a whole number from 1 to 100000, not \"many\"",
        ),
        ("participant.zoe.name=Z", "- participant.zoe.name: no `zoe` among ada, bo"),
        ("title.x=1", "- title.x: \"T\" has no key `x`"),
        ("policy={name=\"manuel\"}", "- policy.name: unknown \"manuel\""),
    ] {
        assert_eq!(faults(&with(&[setting])), [expected]);
    }
    for bad in ["limits.utterances", "=3", "limits..x=3"] {
        let why = Override::parse(bad).unwrap_err();
        assert!(why.to_string().contains("limits.utterances=9"), "{bad}");
    }
}

proptest::proptest! {
    #[test]
    fn a_damaged_text_never_breaks_the_check(
        at in 0_usize..16_000, gone in 0_usize..40, new in "[\\[\\]{}\"'=.,#\n \u{1b}a7é\\\\]{0,6}",
    ) {
        let mut text: Vec<char> = bundled("round-table").unwrap().chars().collect();
        let start = at.min(text.len());
        let end = (start + gone).min(text.len());
        text.splice(start..end, new.chars());
        let text: String = text.into_iter().collect();
        if let Err(faults) = load(&source(&text), ROWS) {
            proptest::prop_assert!(!faults.list.is_empty());
            proptest::prop_assert!(!faults.to_string().is_empty());
        }
    }
}

#[test]
fn a_reply_has_one_form_and_a_schema_that_is_one() {
    check_rest("reply = { choice = [\"yes\", \"no\"], again = 0 }", &[]);
    check_rest("reply = \"free\"", &[]);
    check_rest(
        "[participant.reply.schema]\ntype = \"object\"\nproperties.n.type = \"integer\"",
        &[],
    );
    check_rest("reply = { schema = '{\"type\": \"array\"}' }", &[]);
    check_rest(
        "reply = { choice = [\"yes\"], markers = [\"[PASS]\"] }",
        &["4:29 participant[1].reply.markers: conflicts with `choice`"],
    );
    check_rest(
        "reply = { again = 1 }",
        &[
            "4:9 participant[1].reply: has no markers, choice, schema, answer, rank, score, quotes or to",
        ],
    );
    check_rest(
        "reply = { schema = { type = \"objekt\" } }",
        &[
            "4:20 participant[1].reply.schema: at /type: \"objekt\" is not valid under any of the schemas listed in the 'anyOf' keyword",
        ],
    );
    check_rest(
        "reply = { schema = '{' }",
        &[
            "4:20 participant[1].reply.schema: is not JSON: EOF while parsing an object at line 1 column 1",
        ],
    );
    for elsewhere in ["https://example.org/s.json", "file:///etc/passwd"] {
        let rest = format!("reply = {{ schema = {{ \"$ref\" = \"{elsewhere}\" }} }}");
        let text = format!("title = \"T\"\n[[participant]]\nid = \"ada\"\n{rest}");
        let found = faults(&source(&text));
        assert!(found.len() == 1 && found[0].contains("reply.schema"), "{found:?}");
    }
}

#[test]
fn dependency_graph_has_a_start_and_an_end() {
    let graph =
        |seats: &str| format!("title = \"T\"\npolicy = \"depends\"\nparticipant = [\n{seats}\n]");
    check(
        &graph(
            "{ id = \"a\", starts = true, after = [{ participant = \"c\" }] },\n\
             { id = \"b\", after = [\"a\"] },\n\
             { id = \"c\", after = [{ participant = \"b\" }] },",
        ),
        &[
            "4:36 participant[1].after: is a dependency cycle: a waits for c waits for b waits for a",
        ],
    );
    let bounded = "{ id = \"a\", after = [{ participant = \"b\", max = 2 }] },\n\
                   { id = \"b\", after = [{ participant = \"a\" }] },";
    check(&graph(bounded), &["2:10 policy: no one can begin: every participant waits for another"]);
    check(
        &graph("{ id = \"ada\" }, { id = \"b\", after = [{ participant = \"adda\" }] }"),
        &["4:54 participant[2].after[1].participant: no participant \"adda\""],
    );
    check(
        &graph("{ id = \"ada\" }, { id = \"b\", after = [\"adda\"] }"),
        &["4:38 participant[2].after[1]: no participant \"adda\""],
    );
    check(
        "title = \"T\"\nparticipant = [{ id = \"a\", needs = \"any\" }]",
        &["2:28 participant[1].needs: is for policy = \"depends\""],
    );
}

/// The table of keys says which policies read a key, and the check reports the key under all others.
#[test]
fn keys_without_effect_under_a_policy_are_reported() {
    let free =
        ["round_robin", "moderated", "simultaneous", "manual", "weighted", "talkative", "bids"];
    let asking = ["round_robin", "weighted", "talkative", "bids", "depends"];
    let counting =
        ["round_robin", "moderated", "simultaneous", "weighted", "talkative", "bids", "consensus"];
    let rows = colloquium::policy::rows();
    for (key, value, top, readers) in [
        ("weight", "2", false, &["weighted"][..]),
        ("talkativeness", "0.5", false, &["talkative"]),
        ("may_request", "[\"bo\"]", false, &asking),
        ("sees", "\"own\"", false, &free),
        ("stance", "[\"a\", \"b\"]", true, &free),
        ("debate", "\"plain\"", true, &free),
        ("limits.rounds", "2", true, &counting),
    ] {
        for row in &rows {
            let line = format!("{key} = {value}\n");
            let (head, seat) = if top { (&*line, "") } else { ("", &*line) };
            let options = match row.name {
                "moderated" => ", moderator = \"bo\"",
                "plan" => ", executor = \"bo\"",
                _ => "",
            };
            let mut text = format!(
                "title = \"T\"\n{head}policy = {{ name = \"{}\"{options} }}\n[[participant]]\nid = \"ada\"\n{seat}\
                 [[participant]]\nid = \"bo\"\n",
                row.name
            );
            if row.traits.phases {
                text += "[[phase]]\nname = \"one\"\norder = \"depends\"\n[[phase]]\nname = \"two\"\norder = \"shuffled\"\n";
            }
            let loaded = load(&source(&text), &rows).unwrap_or_else(|f| panic!("{text}{f}"));
            let warned = loaded
                .warnings
                .list
                .iter()
                .any(|w| w.key.ends_with(key) && w.message.contains("has no effect"));
            let phased = readers.iter().any(|reader| ["round_robin", "depends"].contains(reader));
            let read = if row.traits.phases { phased } else { readers.contains(&row.name) };
            assert_eq!(warned, !read, "{key}, {}: {}", row.name, loaded.warnings);
        }
    }
}

#[test]
fn phases_have_judges_and_policies_with_options() {
    let phases = |rest: &str| {
        format!(
            "title = \"T\"\npolicy = \"phases\"\nparticipant = [{{ id = \"a\" }}, {{ id = \"b\" }}, {{ id = \"jo\" }}]\n\
             [[phase]]\nname = \"x\"\n{rest}"
        )
    };
    let good = "order = { name = \"round_robin\", order = \"shuffled\" }\nrounds = 2\n\
                [phase.judge]\nseat = \"jo\"\nmay_stop = true\nsees = \"summary\"\ntie = \"judge\"";
    check(&phases(good), &[]);
    check(
        &phases(
            "order = { name = \"round_robin\", order = \"random\" }\n[phase.judge]\nseat = \"joe\"\nsides = [\"a\", \"c\"]",
        ),
        &[
            "6:41 phase[1].order.order: unknown \"random\"",
            "8:8 phase[1].judge.seat: no participant \"joe\"",
            "9:15 phase[1].judge.sides[2]: no participant or role \"c\"",
        ],
    );
    check(
        &phases("order = { name = \"phases\" }"),
        &["6:18 phase[1].order.name: unknown \"phases\""],
    );
    check(
        "title = \"T\"\npolicy = \"depends\"\nparticipant = [{ id = \"a\" }, { id = \"b\" }, { id = \"jo\" }]\n\
         [verdict]\njudge = \"jo\"\nmay_stop = true",
        &["6:12 verdict.may_stop: needs rounds, which depends does not have"],
    );
}

#[test]
fn stop_rules_and_verdicts_name_seats_and_one_rule_each() {
    let seats = "[[participant]]\nid = \"bo\"\nrole = \"pro\"\n[[participant]]\nid = \"jo\"\n";
    let good = "[verdict]\njudge = [\"jo\"]\nsides = [\"ada\", \"pro\"]\nswap_test = true\n\
                [[stop]]\njudge = \"jo\"\nquestion = \"Enough?\"\nthen = \"ask\"\n[[stop]]\nagreement = 0.5\n";
    check_rest(&format!("{seats}{good}"), &[]);
    check_rest(
        &format!("{seats}[verdict]\njudge = \"joe\"\nsides = [\"ada\"]\ntie = \"dice\"\n"),
        &[
            "9:1 verdict: needs at least two sides to compare",
            "10:9 verdict.judge: no participant \"joe\"",
            "12:7 verdict.tie: unknown \"dice\"",
        ],
    );
    check_rest(
        &format!(
            "{seats}[[stop]]\nby = \"ada\"\njudge = \"jo\"\n[[stop]]\nwhen = \"true\"\nword = \"X\"\n[[stop]]\n"
        ),
        &[
            "10:6 stop[1].by: belongs to `word`, and this rule has `judge`",
            "14:8 stop[2]: has both `when` and `word`",
            "15:1 stop[3]: has no `when`, `word`, `judge`, `agreement` or `loop`",
        ],
    );
    check_rest("[[stop]]\njudge = \"ada\"", &["2:1 participant: no participant speaks"]);
}

#[test]
fn a_policy_that_needs_a_seat_is_given_one() {
    let text = |policy: &str, rest: &str| {
        format!("title = \"T\"\npolicy = {policy}\n[[participant]]\nid = \"ada\"\n{rest}")
    };
    check(
        &text(
            "{ name = \"chaired\", chair = true }",
            "[[phase]]\nname = \"x\"\norder = \"chaired\"\n",
        ),
        &[
            "2:10 policy.moderator: is missing, and chaired needs it",
            "5:1 phase[1].moderator: is missing, and chaired needs it",
            "5:1 phase: needs policy = \"phases\", and the policy is chaired",
        ],
    );
    check(
        &text("{ name = \"chaired\", moderator = \"mo\" }", ""),
        &["2:42 policy.moderator: no participant \"mo\""],
    );
}

#[test]
fn summariser_of_a_seat_is_unique() {
    check_rest("context = { summary_by = \"clerk\" }\n[[participant]]\nid = \"clerk\"", &[]);
    check_rest(
        "context = { summary_by = \"clark\" }",
        &["4:26 participant[1].context.summary_by: no participant \"clark\""],
    );
}
