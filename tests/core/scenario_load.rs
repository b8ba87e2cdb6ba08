//! Results of loading a valid scenario: seats, rules and rehearsed casts; and the effects of `join`, `change` and
//! `stand_in`.

use crate::scenario_rows::ROWS;
use colloquium::model::{
    FailureRule, Line, ModelSpec, Participant, Price, Purpose, Then, VoiceSpec,
};
use colloquium::scenario::{
    Loaded, PolicySpec, Rule, Source, Stop, bundled, bundled_names, change, load, participant, read,
};
use serde_json::json;
use std::collections::BTreeSet;

#[track_caller]
fn loaded(text: &str) -> Loaded {
    let source = Source { name: "town.toml".into(), text: text.into(), settings: vec![] };
    load(&source, ROWS).map_err(|faults| faults.to_string()).expect("a good scenario")
}

#[test]
fn the_least_scenario_has_the_defaults() {
    let loaded = loaded("title = \"T\"\n[[participant]]\nid = \"ada\"");
    assert_eq!(
        serde_json::to_value(&loaded.scenario).unwrap(),
        json!({"title": "T", "policy": {"name": "round_robin"}, "limits": {"utterances": 20}})
    );
    assert_eq!(
        serde_json::to_value(&loaded.participants).unwrap(),
        json!([{
            "id": "ada",
            "name": "ada",
            "voice": {"model": {"name": ""}},
            "weight": 1.0,
            "timeouts": {"connect": 10000, "first": 120000, "silence": 60000, "total": 600000},
            "on_failure": {"retry": 1, "then": "skip"},
            "price": null,
            "window": null,
        }])
    );
    assert_eq!(loaded.parallel, 5);
    assert!(loaded.rehearsed.is_empty() && loaded.warnings.list.is_empty());
}

/// Loads `main.toml` from a folder with the given files.
fn in_folder(files: &[(&str, &str)]) -> Result<Loaded, String> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    let source = read(&folder.path().join("main.toml")).expect("main.toml");
    load(&source, ROWS).map_err(|faults| faults.to_string())
}

const MAIN: &str = "title = \"T\"\n[[participant]]\nid = \"jury\"\nteam = \"jury.toml\"\n";

#[test]
fn a_team_is_read_with_its_scenario() {
    let jury = "title = \"J\"\n[[participant]]\nid = \"ada\"\n[rehearsed]\nada = [\"Guilty.\"]\n";
    let loaded = in_folder(&[("main.toml", MAIN), ("jury.toml", jury)]).unwrap();
    let VoiceSpec::Team(team) = &loaded.participants[0].voice else { panic!("no team") };
    assert_eq!((&*team.file, &team.scenario["title"]), ("jury.toml", &json!("J")));
    assert!(matches!(team.participants[0].voice, VoiceSpec::Model(_)));
    let VoiceSpec::Team(played) = &loaded.rehearsed["jury"] else { panic!("no cast") };
    assert!(matches!(played.participants[0].voice, VoiceSpec::Lines { .. }));
}

#[test]
fn team_faults_are_reported_at_the_seat() {
    let person = "title = \"J\"\n[[participant]]\nid = \"ada\"\nhuman = true\n";
    for (files, words) in [
        (vec![("main.toml", MAIN)], "cannot read the scenario"),
        (vec![("main.toml", MAIN), ("jury.toml", "title = 3")], "cannot be seated: participant"),
        (vec![("main.toml", MAIN), ("jury.toml", person)], "would wait for a person: `ada`"),
        (vec![("main.toml", MAIN), ("jury.toml", MAIN)], "teams are nested more than 2 deep"),
    ] {
        let faults = in_folder(&files).unwrap_err();
        assert!(faults.contains(words) && faults.contains("main.toml:4:8"), "{faults}");
    }
    let two = in_folder(&[("main.toml", &format!("{MAIN}lines = [\"a\"]\n"))]).unwrap_err();
    assert!(two.contains("second voice"), "{two}");
}

#[test]
fn every_key_of_a_seat_is_taken_over() {
    let loaded = loaded(
        r#"
title = "T"
parallel = 2
[[participant]]
id = "ada"
name = "Ada L."
aliases = ["the planner"]
role = "pro"
persona = "You are {{ me.name }}."
human = { seconds = 60 }
stand_in = { lines = ["One.", { text = "Two.", when = "number > 1" }] }
weight = 2.5
max_utterances = 3
timeout = "1.5s"
on_failure = { then = "stop" }
pace = 20
[[participant]]
id = "bo"
script = ["./bo.sh", "-v"]
timeout = 30
"#,
    );
    let lines = vec![
        Line { text: "One.".into(), ..Line::default() },
        Line { text: "Two.".into(), when: Some("number > 1".into()), ..Line::default() },
    ];
    let ada = &loaded.participants[0];
    assert_eq!((&*ada.name, ada.role.as_deref()), ("Ada L.", Some("pro")));
    assert_eq!(ada.aliases, ["the planner".into()]);
    assert_eq!(ada.persona.as_deref(), Some("You are {{ me.name }}."));
    assert_eq!(ada.voice, VoiceSpec::Human { seconds: Some(60), pass: true, link: false });
    assert_eq!(ada.stand_in, Some(VoiceSpec::Lines { lines, pace: 20 }));
    assert_eq!((ada.weight, ada.max_utterances, ada.timeouts.total), (2.5, Some(3), 1_500));
    assert_eq!(
        ada.on_failure,
        FailureRule { retry: 1, then: Then::Stop, ..FailureRule::default() }
    );
    let bo = &loaded.participants[1];
    assert_eq!(bo.voice, VoiceSpec::Script(vec!["./bo.sh".into(), "-v".into()]));
    assert_eq!(bo.timeouts.total, 30_000);
    assert_eq!(loaded.parallel, 2);
}

#[test]
fn a_person_passes_or_waits() {
    for (human, seconds, pass) in [
        ("true", None, false),
        ("{ seconds = 5, then = \"pass\" }", Some(5), true),
        ("{ seconds = 5, then = \"wait\" }", Some(5), false),
    ] {
        let loaded =
            loaded(&format!("title = \"T\"\n[[participant]]\nid = \"a\"\nhuman = {human}"));
        assert_eq!(loaded.participants[0].voice, VoiceSpec::Human { seconds, pass, link: false });
    }
}

#[test]
fn phases_and_stop_rules_name_seats_by_id() {
    let loaded = loaded(
        r#"
title = "T"
policy = { name = "phases", mentions = "once" }
participant = [{ id = "ada", role = "pro" }, { id = "bo", role = "con" }, { id = "cy" }]
[[phase]]
name = "opening"
who = ["con", "ada"]
order = "simultaneous"
[[phase]]
name = "debate"
who = "all but con"
order = "shuffled"
rounds = 3
[[phase]]
name = "close"
[[stop]]
word = "AGREED"
by = ["pro", "cy"]
[[stop]]
when = "turn_count > 6"
"#,
    );
    let phases: Vec<(&str, Vec<&str>, serde_json::Value)> = loaded
        .scenario
        .phases
        .iter()
        .map(|p| {
            let who = p.who.iter().map(|w| &**w).collect();
            (&*p.name, who, serde_json::to_value(&p.policy).unwrap())
        })
        .collect();
    let options = |name: &str, options| json!({"name": name, "options": options});
    assert_eq!(
        phases,
        [
            ("opening", vec!["bo", "ada"], options("simultaneous", json!({"rounds": 1}))),
            (
                "debate",
                vec!["ada", "cy"],
                options(
                    "round_robin",
                    json!({"order": "shuffled", "rounds": 3, "mentions": "once"})
                ),
            ),
            (
                "close",
                vec!["ada", "bo", "cy"],
                options("round_robin", json!({"rounds": 1, "mentions": "once"})),
            ),
        ]
    );
    assert_eq!(loaded.scenario.limits.utterances, None, "the phases define the length");
    assert_eq!(
        loaded.scenario.stops,
        [
            Stop {
                rule: Rule::Word {
                    word: "AGREED".into(),
                    by: vec!["ada".into(), "cy".into()],
                    accepted_by: vec![],
                },
                ask: false,
                every: false,
            },
            Stop { rule: Rule::When("turn_count > 6".into()), ask: false, every: false },
        ]
    );
}

#[test]
fn a_scenario_reads_back_from_the_log_as_it_was() {
    let loaded = loaded(
        "title = \"T\"\npolicy = { name = \"round_robin\", rounds = 2 }\n[[participant]]\nid = \"ada\"\n[[stop]]\nword = \"X\"",
    );
    let json = serde_json::to_string(&loaded.scenario).unwrap();
    let again: colloquium::scenario::Scenario = serde_json::from_str(&json).unwrap();
    assert_eq!(again, loaded.scenario);
    let options = json!({"rounds": 2}).as_object().cloned().unwrap();
    assert_eq!(again.policy, PolicySpec { name: "round_robin".into(), options });
}

#[test]
fn reasons_to_wait_for_an_operator_are_found() {
    let mut loaded = loaded(
        r#"
title = "T"
policy = "manual"
[[participant]]
id = "ada"
human = true
stand_in = { lines = ["Yes."] }
[[participant]]
id = "bo"
human = true
on_failure = { then = "pause" }
"#,
    );
    let waits = |l: &Loaded| l.waits(ROWS).iter().map(ToString::to_string).collect::<Vec<_>>();
    let rest = [
        "`bo` is a human participant without a stand_in",
        "`bo` has on_failure.then = \"pause\"",
        "the policy manual waits for you",
    ];
    assert_eq!(waits(&loaded)[0], "`ada` is a human participant without a stand_in");
    assert_eq!(waits(&loaded)[1..], rest);
    loaded.unattended(false);
    assert_eq!(waits(&loaded), rest);
    let ada = &loaded.participants[0];
    assert!(ada.stands_in && matches!(ada.voice, VoiceSpec::Lines { .. }));
    assert!(!loaded.participants[1].stands_in);
}

#[test]
fn names_that_two_seats_answer_to_are_a_warning() {
    let loaded = loaded(
        r#"
title = "T"
[[participant]]
id = "ada"
[[participant]]
id = "bo"
aliases = ["ADA"]
[rehearsed]
ada = ["Hm."]
"#,
    );
    let warnings: Vec<String> =
        loaded.warnings.list.iter().map(|w| format!("{}: {}", w.key, w.message)).collect();
    assert_eq!(
        warnings,
        ["participant[2]: \"ADA\" is also a name of `ada`", "rehearsed: has no lines for `bo`"]
    );
    assert!(loaded.warnings.to_string().starts_with("warning: participant[2]"));
}

#[test]
fn a_judge_and_a_scribe_without_a_line_for_their_task_are_a_warning() {
    let seats = "[[participant]]\nid = \"a\"\nlines = [\"x\"]\n[[participant]]\nid = \"j\"\n";
    let scenario = |result: &str, lines: &str| {
        let stop = "[[stop]]\njudge = \"j\"\nquestion = \"Is all said?\"\n";
        format!("title = \"T\"\nresult = \"{result}\"\n{seats}lines = [{lines}]\n{stop}")
    };
    let keys = |text: String| -> Vec<String> {
        loaded(&text).warnings.list.iter().map(|w| format!("{}: {}", w.key, w.message)).collect()
    };
    let of_judge = "stop[1].judge: `j` has no line for a judgement".to_owned();
    let of_scribe = "result: no participant can write the result".to_owned();
    let judges = "{ for = \"judge\", text = \"yes\" }";
    assert_eq!(keys(scenario("none", "\"yes\"")), [of_judge]);
    assert_eq!(keys(scenario("scribe", judges)), [of_scribe]);
    let writes = format!("{judges}, {{ for = \"result\", text = \"{{}}\" }}");
    assert!(keys(scenario("scribe", &writes)).is_empty());
}

fn ada() -> Participant {
    participant(&json!({"id": "ada", "role": "pro", "lines": ["One."], "pace": 5}))
        .expect("a good seat")
}

#[test]
fn a_seat_joins_by_the_same_keys() {
    let ada = ada();
    assert_eq!((&*ada.id, ada.role.as_deref()), ("ada", Some("pro")));
    let lines = vec![Line { text: "One.".into(), ..Line::default() }];
    assert_eq!(ada.voice, VoiceSpec::Lines { lines, pace: 5 });
    for (json, expected) in [
        (json!({"id": "all"}), "id: \"all\" is reserved; choose another id"),
        (json!({"idd": "a"}), "idd: unknown key; the nearest key is `id`"),
        (
            json!({"id": "a", "role": null}),
            "role: takes text on one line or a list, not null; as in role = \"pro\"",
        ),
        (
            json!("ada"),
            "a participant is a table, not \"ada\"; as in {\"id\": \"ada\", \"name\": \"Ada\"}",
        ),
    ] {
        let faults = participant(&json).unwrap_err();
        assert_eq!(faults.iter().map(ToString::to_string).collect::<Vec<_>>(), [expected]);
    }
}

#[test]
fn change_keeps_unnamed_keys() {
    let set = |json: serde_json::Value| json.as_object().cloned().unwrap();
    let changed =
        change(&ada(), &set(json!({"name": "Ada B.", "on_failure": {"retry": 0}}))).unwrap();
    assert_eq!(
        changed,
        Participant {
            name: "Ada B.".into(),
            on_failure: FailureRule { retry: 0, then: Then::Skip, ..FailureRule::default() },
            ..ada()
        }
    );
    let changed = change(&ada(), &set(json!({"lines": ["Two."]}))).unwrap();
    let lines = vec![Line { text: "Two.".into(), ..Line::default() }];
    assert_eq!(changed.voice, VoiceSpec::Lines { lines, pace: 5 }, "the pace stays");

    let priced =
        Participant { price: Some(Price(1.0, 2.0)), window: Some(8), stands_in: true, ..ada() };
    let warm = change(&ada(), &set(json!({"model": "a:b", "temperature": 0.5}))).unwrap();
    let warm = change(&warm, &set(json!({"model": "a:c", "fallbacks": ["d:e"]}))).unwrap();
    let VoiceSpec::Model(spec) = &warm.voice else { panic!("{:?}", warm.voice) };
    assert_eq!((&*spec.name, spec.temperature), ("a:c", Some(0.5)), "another model, asked alike");
    assert_eq!((&*spec.fallbacks[0].name, warm.on_failure.then), ("d:e", Then::Replace));
    let changed = change(&priced, &set(json!({"model": "a:b"}))).unwrap();
    assert_eq!(
        changed.voice,
        VoiceSpec::Model(ModelSpec { name: "a:b".into(), ..ModelSpec::default() })
    );
    assert_eq!((changed.price, changed.window, changed.stands_in), (None, None, false));

    for (json, expected) in [
        (json!({"model": "a:b", "lines": ["x"]}), "second voice"),
        (json!({"weight": -1}), "weight: takes a number from 0.001 to 1000, not -1"),
        (
            json!({"human": true}),
            "try: name, aliases, role, side, description, words, persona, model, and ",
        ),
        (json!({"nmae": "x"}), "the nearest key is `name`"),
    ] {
        let why = change(&ada(), &set(json)).unwrap_err();
        assert!(why.to_string().contains(expected), "{why}");
    }
}

#[test]
fn files_are_read_with_a_bound() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.toml");
    std::fs::write(&file, "title = 1").unwrap();
    assert_eq!(read(&file).unwrap().text, "title = 1");
    let refused = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        read(&file).unwrap_err().to_string()
    };
    assert!(refused(&vec![b'#'; (1 << 20) + 1]).ends_with("is larger than 1048576 bytes"));
    assert!(refused(b"title = 1\n\xff").ends_with(", line 2: not UTF-8"));
    assert!(read(&folder.path().join("none.toml")).is_err());
}

#[test]
fn every_bundled_scenario_is_without_a_fault() {
    for name in bundled_names() {
        let text = bundled(name).expect(name).to_owned();
        let source = Source { name: name.into(), text, settings: vec![] };
        // bundled scenarios may use every policy
        let loaded = load(&source, &colloquium::policy::rows()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(loaded.warnings.list, [], "{name}");
    }
    assert_eq!(bundled("round-tabel"), None);
}

#[test]
fn the_round_table_has_twelve_turns_and_nine_with_its_own_lines() {
    let mut table = loaded(bundled("round-table").unwrap());
    assert_eq!(&*table.scenario.title, "Should cities ban private cars?");
    assert_eq!(table.scenario.topic.as_deref(), Some("Should cities ban private cars?"));
    assert_eq!(table.scenario.limits.utterances, Some(12));
    assert_eq!(table.scenario.policy.options["mentions"], "once");
    assert!(!table.all_rehearsed());
    table.rehearse();
    assert!(table.all_rehearsed());
    assert_eq!(table.scenario.limits.utterances, Some(9));
    let mut texts = BTreeSet::new();
    let mut mentions = 0;
    for seat in &table.participants {
        let VoiceSpec::Lines { lines, pace } = &seat.voice else { panic!("{}", seat.id) };
        assert!((60..=80).contains(pace));
        let lines: Vec<&Line> = lines.iter().filter(|l| l.purpose == Purpose::Speak).collect();
        let plain = lines.iter().filter(|l| l.when.is_none() && !l.spent).count();
        assert!((3..=4).contains(&plain), "{}: {plain} plain lines", seat.id);
        for when in ["'?' in operator.said", "'?' not in operator.said", "operator.whisper"] {
            let reacts = |l: &Line| {
                l.when.as_deref().is_some_and(|w| w.starts_with(when) || w.contains(when))
            };
            assert!(lines.iter().any(|l| reacts(l)), "{}: {when}", seat.id);
        }
        for line in lines {
            // nobody reads the last line, which states the position
            let spoken = line.text.split("\nSTANCE:").next().unwrap();
            let words = spoken.replace("{{ operator.said }}", "").split_whitespace().count();
            assert!((25..=90).contains(&words), "{words} words: {}", line.text);
            assert!(texts.insert(line.text.clone()), "said twice: {}", line.text);
            mentions += line.text.matches('@').count();
            let quotes = line.text.contains("operator.said");
            let whispered = line.when.as_deref() == Some("operator.whisper");
            assert!(!(quotes && whispered), "a whisper read out: {}", line.text);
        }
    }
    assert_eq!(mentions, 1, "one @mention changes the order, and only one");
}

#[test]
fn judge_takes_no_turns_unless_configured() {
    let text = "title = \"T\"\n[[participant]]\nid = \"ada\"\n[[participant]]\nid = \"bo\"\n[[participant]]\n\
                id = \"jo\"\n[[participant]]\nid = \"kim\"\nspeaks = true\n[verdict]\njudge = [\"jo\", \"kim\"]\n";
    let loaded = loaded(text);
    let speaks: Vec<bool> = loaded.participants.iter().map(|p| p.speaks).collect();
    assert_eq!(speaks, [true, true, false, true]);
    let verdict = loaded.scenario.verdict.expect("a verdict");
    assert_eq!(
        (verdict.judges.len(), verdict.votes, &*verdict.question),
        (2, 1, "Who made the better case?")
    );
    assert!(verdict.sides.is_empty(), "everybody who speaks");
}

#[test]
fn a_stop_rule_that_asks_waits_for_somebody() {
    let text = "title = \"T\"\n[[participant]]\nid = \"ada\"\nlines = [\"x\"]\n[[stop]]\nword = \"X\"\n\
                [[stop]]\nagreement = 0.5\nthen = \"ask\"\n";
    let waits = loaded(text).waits(ROWS);
    assert_eq!(
        waits.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["stop[2] has then = \"ask\""]
    );
}

#[test]
fn unused_policy_keys_are_reported() {
    let warnings = |policy: &str| -> Vec<String> {
        let text = format!(
            "title = \"T\"\npolicy = {{ {policy} }}\n[[participant]]\nid = \"ada\"\nlines = [\"x\"]\n"
        );
        let loaded = loaded(&text);
        loaded.warnings.list.iter().map(|w| format!("{}: {}", w.key, w.message)).collect()
    };
    assert_eq!(
        warnings("name = \"depends\", mentions = \"once\", rounds = 3"),
        [
            "policy.mentions: has no effect with the policy depends",
            "policy.rounds: has no effect with the policy depends",
        ]
    );
    assert_eq!(warnings("name = \"depends\", mentions = \"off\""), [""; 0]);
    assert_eq!(warnings("name = \"round_robin\", mentions = \"once\", rounds = 3"), [""; 0]);
}

#[test]
fn keys_without_effect_beside_others_are_reported() {
    let warned = |head: &str, voice: &str, rest: &str| -> Vec<String> {
        let text = format!(
            "title = \"T\"\n{head}\n[[participant]]\nid = \"ada\"\n{voice}\n[[participant]]\nid = \"bo\"\n{voice}\n{rest}"
        );
        let loaded = loaded(&text);
        loaded.warnings.list.iter().map(|w| format!("{}: {}", w.key, w.message)).collect()
    };
    let model = "model = \"ollama:m\"";
    let lore = "[[lore]]\nkeys = [\"x\"]\ntext = \"y\"";
    assert_eq!(warned("words = \"varied\"\nguards = \"on\"", model, lore), [""; 0]);
    assert_eq!(
        warned("words = \"varied\"\ndebate = \"work\"", model, ""),
        ["words: \"varied\" has no effect outside a guided debate"]
    );
    let alone = "has no effect without a model or an agent";
    assert_eq!(
        warned("guards = \"on\"", "lines = [\"x\"]", lore),
        [format!("guards: {alone}"), format!("lore: {alone}")]
    );
    let judge = "speaks = false\nmax_utterances = 2";
    let silent = format!("[[participant]]\nid = \"jo\"\n{model}\n{judge}");
    let fault = "participant[3].max_utterances: has no effect: it takes no turns";
    assert_eq!(warned("", model, &silent), [fault]);
}

#[test]
fn a_name_that_passes_for_another_or_shows_nothing_is_refused() {
    let check = |first: &str, second: &str, told: Option<&str>| {
        let text = format!(
            "title = \"T\"\n[[participant]]\nid = \"a\"\nname = {first:?}\n[[participant]]\nid = \"b\"\n\
             {second}\n"
        );
        let source = Source { name: "t.toml".into(), text, settings: vec![] };
        let faults = load(&source, ROWS).map(|_| ()).map_err(|faults| faults.to_string());
        match told {
            Some(told) => {
                let faults = faults.expect_err(second);
                assert!(faults.contains(told) && faults.contains("name"), "{second}: {faults}");
            }
            None => assert!(faults.is_ok(), "{second}: {faults:?}"),
        }
    };
    let named = |name: &str| format!("name = {name:?}");
    check("Claude", &named("Сlaude"), Some("looks like \"Claude\", the name of `a`"));
    check("Claude", &named("claude"), Some("the name of `a`"));
    for name in ["Ｈｕｍａｎ", "You", "SYSTEM", "Operator", "engine", "Нost"] {
        check("Ada", &named(name), Some("which is reserved"));
    }
    check("Ada", "name = \"\\u2800\"", Some("shows nothing"));
    check("Ada", "name = \"You\"\nhuman = true", None);
    check("Ada", "name = \"System\"\nhuman = true", Some("which is reserved"));
    check("Ada", &named("Adam"), None);
    check("Клод", &named("クロード"), None);
}

#[test]
fn keys_that_the_voice_or_the_replies_never_use_are_reported() {
    let warnings = |rest: &str| -> Vec<String> {
        let text = format!("title = \"T\"\n[[participant]]\nid = \"ada\"\n{rest}");
        loaded(&text).warnings.list.iter().map(|w| format!("{}: {}", w.key, w.message)).collect()
    };
    let idle = "has no effect with this voice";
    let tools = "tools = [\"read_file\"]\n";
    assert_eq!(
        warnings(&format!("lines = [\"x\"]\nmax_usd = 1\ncontext = \"summary\"\n{tools}")),
        ["max_usd", "context", "tools"].map(|key| format!("participant[1].{key}: {idle}"))
    );
    assert_eq!(
        warnings(&format!("script = [\"true\"]\n{tools}")),
        [format!("participant[1].tools: {idle}")]
    );
    assert!(warnings(&format!("model = \"ollama:x\"\n{tools}")).is_empty());
    let stop = "[[stop]]\nagreement = 0.8\n";
    let never = "has no effect: no reply of this scenario has an answer";
    assert_eq!(warnings(stop), [format!("stop[1].agreement: {never}")]);
    for answers in ["reply = { choice = [\"a\", \"b\"] }\n", "script = [\"true\"]\n"] {
        assert!(warnings(&format!("{answers}{stop}")).is_empty(), "{answers}");
    }
    assert!(warnings(&format!("[answer]\nform = \"number\"\n{stop}")).is_empty());
}
