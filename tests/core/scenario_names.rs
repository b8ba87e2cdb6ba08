//! Validation of names: facts, filters, tests, methods and context keys in conditions, seats in plans, poles; names and
//! personas for another topic.

use crate::scenario_rows::ROWS;
use colloquium::scenario::{Loaded, Source, bundled, load};

fn source(text: &str) -> Source {
    Source { name: "town.toml".into(), text: text.into(), settings: vec![] }
}

/// Asserts the complete list of faults of a text after a title and one seat, each as `line:column key: message`.
#[track_caller]
fn check_rest(rest: &str, expected: &[&str]) {
    check(&format!("title = \"T\"\n[[participant]]\nid = \"ada\"\n{rest}"), expected);
}

/// Asserts the complete list of faults of a text.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let found = load(&source(text), ROWS).err().map(|faults| faults.list).unwrap_or_default();
    let line = |f: &colloquium::scenario::Fault| {
        let place = f.place.as_ref().map_or("-".into(), |p| format!("{}:{}", p.line, p.column));
        format!("{place} {}: {}", f.key, f.message)
    };
    assert_eq!(found.iter().map(line).collect::<Vec<_>>(), expected, "{text}");
}

/// An unknown name would always be false, so it is reported at its position when the scenario is loaded.
#[test]
fn names_in_conditions_are_checked_where_they_stand() {
    check_rest(
        "lines = [{ text = \"a\", when = \"utterances\" }, { text = \"b\", when = \"last.who == 'bo'\" }]\n\
         [[stop]]\nwhen = \"round > 1 and last.text == 'x'\"\n\
         [[stop]]\nwhen = \"trun_count > 3\"\n\
         [[stop]]\nwhen = \"count(history | rejectatr('hidden')) > 3\"\n\
         [[stop]]\nwhen = \"paused is treu\"\n\
         [[stop]]\nwhen = \"topic.startwith('x')\"",
        &[
            "4:32 participant[1].lines[1].when: `utterances` is known only to conditions over the whole \
             conversation",
            "6:23 stop[1].when: `last` is known only to rehearsed lines and templates, where a participant is called",
            "8:9 stop[2].when: unknown name `trun_count`",
            "10:25 stop[3].when: no filter `rejectatr`",
            "12:19 stop[4].when: no test `treu`",
            "14:15 stop[5].when: no method `startwith`",
        ],
    );
    let text = "title = \"T\"\n[[participant]]\nid = \"ada\"\n[[stop]]\nwhen = \"last | lowr\"\n\
                [[stop]]\nwhen = \"trun_count\"\n[[stop]]\nwhen = \"last\"";
    let told = load(&source(text), ROWS).unwrap_err().to_string();
    for expected in [
        "hint: the nearest is `lower`",
        "hint: the nearest is `turn_count`",
        "hint: history[-1] is the last message, by anybody; it has .participant and .text",
        "7 | when = \"trun_count\"\n  |         ^^^^^^^^^^\n",
    ] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
}

/// A context key that no form writes is reported, unless some reply may have any form.
#[test]
fn context_keys_come_from_reply_forms() {
    let warned = |second: &str, when: &str| {
        let text = format!(
            "title = \"T\"\npolicy = \"depends\"\n[[participant]]\nid = \"ada\"\n\
             reply = {{ schema = {{ properties = {{ unclear = {{}} }} }} }}\n\
             [[participant]]\nid = \"bo\"\n{second}\n\
             [[participant.after]]\nparticipant = \"ada\"\nwhen = \"{when}\""
        );
        let loaded = load(&source(&text), ROWS).unwrap();
        let line = |f: &colloquium::scenario::Fault| format!("{}; {}", f.message, f.fix);
        loaded.warnings.list.iter().map(line).collect::<Vec<_>>()
    };
    let free = "";
    let choice = "reply = { choice = [\"yes\", \"no\"] }";
    let misspelt = "no participant's reply schema has a key `unclaer`; the nearest is `unclear`";
    assert_eq!(warned(free, "context.get('unclaer', False)"), [misspelt]);
    assert_eq!(warned(free, "context.unclear and context.ada.unclear and context.other"), [""; 0]);
    let other =
        "no participant's reply schema has a key `other`; there are unclear, choice, why, ada, bo";
    assert_eq!(warned(choice, "context['other'] or context.choice"), [other]);
}

/// Private messages need a recipient and a text reply.
#[test]
fn private_words_have_somebody_to_go_to() {
    for (reply, expected) in [
        ("{ to = [\"bo\"] }", "1].reply.to: no participant or role \"bo\""),
        ("{ to = \"ada\" }", "reply.to: names nobody else"),
        ("{ to = \"all\", choice = [\"a\", \"b\"] }", "reply.to: is for text replies"),
        ("{ again = 2 }", "reply: has no markers, choice, schema"),
    ] {
        let text = format!("title = \"T\"\n[[participant]]\nid = \"ada\"\nreply = {reply}\n");
        let faults = load(&source(&text), ROWS).expect_err("faults");
        let found: Vec<String> =
            faults.list.iter().map(|f| format!("{}: {}", f.key, f.message)).collect();
        assert!(found.iter().any(|fault| fault.contains(expected)), "{reply}: {found:?}");
    }
}

#[test]
fn profile_stages_and_rankings_are_checked() {
    let keeps = "reply = { keep = \"profile\", says = \"words\", schema = { type = \"object\", properties = { say = { type = \"string\" } } } }";
    check_rest(keeps, &["4:36 participant[1].reply.says: is no field of the schema"]);
    check_rest(
        "reply = { keep = \"profile\", choice = [\"a\"] }",
        &["4:18 participant[1].reply.keep: is for replies as data"],
    );
    let keeps = "reply = { keep = \"profile\", schema = { type = \"object\" } }\n";
    check_rest(
        &format!(
            "{keeps}[[stage]]\nname = \"a\"\n[[stage]]\nname = \"a\"\nwhen = \"last\"\n[profile]\nknown = 3\n[ranking]\ncatalogue = {{ cat = 1 }}\n[[ranking.filter]]\nname = \"x\"\nwhen = \"itm.size\""
        ),
        &[
            "8:8 stage[2].name: is the name of another stage",
            "9:9 stage[2].when: `last` is known only to rehearsed lines and templates, where a participant is called",
            "11:9 profile.known: takes a table",
            "13:21 ranking.catalogue.cat: takes a table, not 1",
            "16:9 ranking.filter[1].when: unknown name `itm`",
        ],
    );
}

/// A profile is refused if none of its fields can be in a reply; the nearest field that could hold them is named.
#[test]
fn a_profile_that_can_never_be_known_is_refused() {
    let reply = |keep: &str, fields: &str| {
        format!(
            "reply = {{ keep = {keep}, schema = {{ type = \"object\", properties = {{ say = {{ type = \"string\" }}, \
             updatedProfile = {{ type = \"object\", properties = {{ home = {{ type = \"string\" }} }} }} }} }} }}\n\
             [profile]\nfields = [{fields}]"
        )
    };
    let named = "{ profile = \"updatedProfile\" }";
    check_rest(&reply(named, "\"home\", \"hours\""), &[]);
    let never = "6:10 profile.fields: has no field that is in a reply with `keep`";
    check_rest(&reply("\"profile\"", "\"home\""), &[never]);
    check_rest(&reply(named, "\"hours\""), &[never]);
    check_rest(&format!("{}\nknown = {{ hours = 2 }}", reply(named, "\"hours\"")), &[]);
    check_rest(
        &reply("{ profile = \"facts\" }", "\"home\""),
        &["4:30 participant[1].reply.keep.profile: is no field of the schema"],
    );
    let text = format!(
        "title = \"T\"\n[[participant]]\nid = \"ada\"\n{}",
        reply("\"profile\"", "\"home\"")
    );
    let faults = load(&source(&text), ROWS).expect_err("faults");
    assert!(
        format!("{faults}").contains("write keep = { profile = \"updatedProfile\" }"),
        "{faults}"
    );
}

/// A fault is shown even if the name ends inside a multi-byte character.
#[test]
fn a_fault_beside_a_character_of_many_bytes_is_shown() {
    for when in ["operator.\u{fffd}hisper", "größe.é == 1", "last.text.日本 and x.é"] {
        let text =
            format!("title = \"T\"\n[[participant]]\nid = \"ada\"\n[[stop]]\nwhen = \"{when}\"");
        let faults = load(&source(&text), ROWS).expect_err("faults");
        assert!(format!("{faults}").contains(when), "{faults}");
    }
}

#[test]
fn a_plan_has_a_planner_and_somebody_to_make_executors_from() {
    let plan = |policy: &str, seats: &str, expected: &[&str]| {
        check(&format!("title = \"T\"\npolicy = {policy}\nparticipant = [{seats}]"), expected);
    };
    let two = "{ id = \"a\" }, { id = \"w\" }";
    plan("{ name = \"plan\", executor = \"w\" }", two, &[]);
    plan("\"plan\"", two, &["2:10 policy.executor: is missing; the policy plan needs it"]);
    plan(
        "{ name = \"plan\", executor = \"z\" }",
        two,
        &["2:38 policy.executor: no participant \"z\""],
    );
    plan(
        "{ name = \"plan\", executor = \"w\", planner = \"w\" }",
        two,
        &["2:38 policy.executor: \"w\" is the planner too"],
    );
    plan(
        "{ name = \"plan\", executor = \"w\" }",
        "{ id = \"a\" }, { id = \"w\", human = true }, { id = \"w-2\", speaks = false }",
        &[
            "2:38 policy.executor: \"w\" is a person, and one person cannot be several executors",
            "2:38 policy.executor: executors made from \"w\" would be called \"w-2\"",
        ],
    );
    let fault = "phase[1].order.executor: is missing; the policy plan needs it";
    check(
        "title = \"T\"\npolicy = \"phases\"\nparticipant = [{ id = \"a\" }]\n[[phase]]\nname = \"x\"\norder = \"plan\"",
        &[&format!("6:9 {fault}")],
    );
}

fn round_table() -> Loaded {
    let text = bundled("round-table").expect("a bundled scenario");
    load(&source(text), ROWS).map_err(|faults| faults.to_string()).expect("a good scenario")
}

fn personas(loaded: &Loaded) -> String {
    loaded.participants.iter().filter_map(|seat| seat.persona.as_deref()).collect()
}

/// Characters who were written for one topic would bring it into every other one.
#[test]
fn another_topic_has_people_who_lose_by_it() {
    let mut other = round_table();
    other.set_topic("Should school start at nine?", false);
    assert!(!personas(&other).contains("private cars"), "{}", personas(&other));
    let bo = &other.participants[1];
    assert_eq!((bo.role.as_deref(), bo.side.as_deref()), (None, Some("no")));
    assert_eq!(other.scenario.stance, Some(["yes".into(), "no".into()]));
    let mut own = round_table();
    own.set_topic("Should cities ban private cars?", false);
    assert!(personas(&own).contains("private cars"));
    assert_eq!(own.scenario.stance, Some(["ban them".into(), "leave them".into()]));
    let mut kept = round_table();
    kept.set_topic("Should school start at nine?", true);
    assert!(personas(&kept).contains("private cars"), "set by hand");
    for name in ["crux", "formal-debate", "moderated-panel", "oxford"] {
        let text = bundled(name).expect("a bundled scenario");
        let load = || load(&source(text), &colloquium::policy::rows()).expect("a good scenario");
        let own = load();
        let mut other = load();
        other.set_topic("Should school start at nine?", false);
        for (own, other) in own.participants.iter().zip(&other.participants) {
            // a moderator stays the same for every topic
            let stays = own.persona.is_none() || &*own.id == "silas";
            assert!(stays || own.persona != other.persona, "{name}: {}", own.id);
            assert!(stays || other.description.is_none(), "{name}: {}", own.id);
        }
    }
}

#[test]
fn two_different_poles_are_required() {
    for wrong in ["[\"yes\"]", "[\"yes\", \"Yes\"]", "[\"a\", \"b\", \"c\"]"] {
        let text = format!("title = \"T\"\nstance = {wrong}\n[[participant]]\nid = \"ada\"");
        check(&text, &["2:10 stance: takes the names of two different poles"]);
    }
}

#[test]
fn a_limit_under_both_of_its_names_is_reported_as_one_limit() {
    let limits = "limits = { turns = 4, utterances = 5 }\n[[participant]]\nid = \"ada\"";
    check(
        &format!("title = \"T\"\n{limits}"),
        &["2:12 limits.turns: is another word for `utterances`, which is set too"],
    );
}
