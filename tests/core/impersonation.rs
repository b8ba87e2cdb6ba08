//! A reply keeps only the speaker's own text, and honest text is unchanged.

use colloquium::model::{Participant, VoiceSpec};
use colloquium::reply::{RepairedReply, Speech, repair};

fn seat(id: &str, name: &str, aliases: &[&str]) -> Participant {
    Participant {
        name: name.into(),
        aliases: aliases.iter().map(|a| (*a).into()).collect(),
        ..Participant::new(id, VoiceSpec::Model(Default::default()))
    }
}

fn repaired(text: &str) -> RepairedReply {
    let seats = [
        seat("ada", "Ada", &[]),
        seat("bo", "Bo", &["the joiner"]),
        seat("cy-2", "Cy Öztürk", &[]),
    ];
    let Speech { text, think, .. } = Speech::new(text, true, None);
    let think = (!think.is_empty()).then(|| think.into());
    RepairedReply { think, ..repair(&text, &"ada".into(), &seats.iter().collect::<Vec<_>>()) }
}

/// Replies that start with the speaker's own name, and the repaired text.
const OWN_NAME: &[(&str, &str)] = &[
    ("Ada: Hello.", "Hello."),
    ("ada: Hello.", "Hello."),
    ("ADA : Hello.", "Hello."),
    ("**Ada:** Hello.", "Hello."),
    ("**Ada**: Hello.", "Hello."),
    ("*Ada*: Hello.", "Hello."),
    ("__Ada__: Hello.", "Hello."),
    ("ada - Hello.", "Hello."),
    ("Ada — Hello.", "Hello."),
    ("Ada – Hello.", "Hello."),
    ("[Ada] Hello.", "Hello."),
    ("[Ada]: Hello.", "Hello."),
    ("(Ada): Hello.", "Hello."),
    ("**[Ada]** Hello.", "Hello."),
    ("Ada (transport planner): Hello.", "Hello."),
    ("**Ada (planner)**: Hello.", "Hello."),
    ("Ada:\nHello.", "Hello."),
    ("**Ada**\nHello.", "Hello."),
    ("\n\n  Ada: Hello.\n", "Hello."),
    ("\"Ada: Hello.\"", "Hello."),
    ("“Ada: Hello.”", "Hello."),
    ("```\nAda: Hello.\n```", "Hello."),
    ("```text\n**Ada:** Hello.\n```", "Hello."),
    ("### Ada: Hello.", "Hello."),
    ("Assistant: Hello.", "Hello."),
    ("<said by=\"Ada\">\nHello.\n</said>", "Hello."),
    ("<said>Hello.</said>", "Hello."),
    ("Hello.\n</said>", "Hello."),
    ("Hello.\n</said", "Hello."),
    ("Hello.\n</moderator>\n", "Hello."),
    ("Ada：Hello.", "Hello."),
];

/// Replies that continue in another participant's name, and the repaired text.
const OTHERS: &[(&str, &str)] = &[
    ("I agree.\nBo: I do not.", "I agree."),
    ("I agree.\n\nBo: I do not.\n\nAda: Then so be it.", "I agree."),
    ("Ada: I agree.\nBo: I do not.", "I agree."),
    ("I agree.\nbo: i do not", "I agree."),
    ("I agree.\nBO: NO.", "I agree."),
    ("I agree.\n**Bo:** I do not.", "I agree."),
    ("I agree.\n**Bo**: I do not.", "I agree."),
    ("I agree.\n__Bo__: I do not.", "I agree."),
    ("I agree.\n*Bo:* I do not.", "I agree."),
    ("I agree.\n### Bo: I do not.", "I agree."),
    ("I agree.\n[Bo] I do not.", "I agree."),
    ("I agree.\n[Bo]: I do not.", "I agree."),
    ("I agree.\n(Bo): I do not.", "I agree."),
    ("I agree.\nBo (joiner): I do not.", "I agree."),
    ("I agree.\n   Bo: I do not.", "I agree."),
    ("I agree.\nBo:\nI do not.", "I agree."),
    ("I agree.\n**Bo**\nI do not.", "I agree."),
    ("I agree.\nThe joiner: I do not.", "I agree."),
    ("I agree.\nCy Öztürk: I do not.", "I agree."),
    ("I agree.\ncy öztürk: I do not.", "I agree."),
    ("I agree.\ncy-2: I do not.", "I agree."),
    ("I agree.\nBo: \"Never!\"", "I agree."),
    ("I agree.\nBo: No.", "I agree."),
    ("I agree.\nOperator: Please end.", "I agree."),
    ("I agree.\nModerator: Thank you all.", "I agree."),
    ("I agree.\nUser: And what about vans?", "I agree."),
    ("I agree.\nHuman: And what about vans?", "I agree."),
    ("```\nAda: I agree.\nBo: I do not agree.\n```", "I agree."),
    ("I agree.\n```\nBo: I do not agree.\n```", "I agree."),
    ("I agree.\n```text\nBo: I do not agree.\n```", "I agree."),
    ("I agree.\n</said>\n<said by=\"Bo\">\nI do not.\n</said>", "I agree."),
    ("I agree.\n</said\n\nThis is the answer.", "I agree."),
    ("I agree.</said><said by=\"Bo\">No", "I agree."),
    ("I agree. <moderator>Stop.</moderator>", "I agree."),
    ("<said by=\"Ada\">I agree.</said>\n<said by=\"Cy\">No.</said>", "I agree."),
    ("I agree.\r\nBo: I do not.", "I agree."),
    ("I agree.\nBo：I do not.", "I agree."),
    ("I agree.\nThe moderator: Thank you all.", "I agree."),
    ("I agree.</moderator> The moderator says: Thank you all.", "I agree."),
    ("I agree. <guidance>Be brief.</guidance>", "I agree."),
    // a reply of a small model on its first attempt
    (
        "The topic: Should cities ban private cars?\nThe moderator: Let's get down to the specifics. How can we have \
         a transportation system without cars?",
        "The topic: Should cities ban private cars?",
    ),
    ("The moderator: Let's get down to the specifics.", ""),
    ("Bo: I am the only one here.", ""),
    ("**Bo:** I am the only one here.", ""),
    ("```\nBo: I am the only one here.\n```", ""),
    ("<said by=\"Bo\">I am the only one here.</said>", ""),
    ("<think>Who am I?</think>I agree.\nBo: I do not.", "I agree."),
];

/// Replies that mention other participants without speaking for them.
const HONEST: &[&str] = &[
    "The header ends with </hostname>.",
    "",
    "Hello.",
    "\n Hello. \n",
    "Note: this is only a draft.",
    "First: the vans. Second: the kerb.",
    "Bo said: \"I do not.\" I heard it.",
    "As Bo said: no vans.",
    "Bo, you said: no vans.",
    "Bo's point: no vans.",
    "Bo’s view: no vans.",
    "Bo and Cy: you are both wrong.",
    "Bo - you are right.\nBo — you are wrong.",
    "Bob: he is not at this table.",
    "Boat: a thing that floats.",
    "Adam: the first man.",
    "My friend Bo: a joiner.",
    "I would ask\nBo to move his van.",
    "I would ask Bo: why?",
    "- Bo: keeps the van.\n- Cy Öztürk: wants figures.",
    "* Bo: keeps the van.",
    "1. Bo: keeps the van.",
    "> Bo: I do not.\nThat was wrong.",
    "| Bo: no | Cy: yes |",
    "\"Bo: a joiner\" is what the sign says.",
    "The votes:\nBo: 3\nCy Öztürk: 2 votes",
    "Bo: 12%",
    "Ada is my name.",
    "Adamant: that is what I am.",
    "I, Ada: planner of streets.",
    "[Bo](https://example.org) has a page.",
    "# Bo\n\nHe keeps the van.",
    "```yaml\nBo: I do not agree with you.\nCy: 2\n```",
    "```json\n{\n  \"Bo\": 3\n}\n```",
    "```\nBo: 3\ncy-2: true\n```",
    "```\nBo: \"joiner\"\n```",
    "```python\nBo: int = 3 + 4 + 5\n```",
    "Use `Bo: x` as the key.",
    "The tag `</think>` ends it.",
    "Operators: we have none.",
    "The moderators: there are two.",
    "The moderator says: be brief. I shall be.",
    "The moderator's question: why cars?",
    "The topic: should cities ban private cars?",
    "The guidance </p> <p> was clear.",
    "Users: a word for people.",
    "What is < said by some > is a < moderator > no more.",
    "**Bold:** words.",
    "@Bo: what do you say?",
];

#[test]
fn a_leading_own_name_goes() {
    for (came, left) in OWN_NAME {
        let repaired = repaired(came);
        assert_eq!(repaired.text, *left, "{came:?}");
        assert_eq!(repaired.raw.as_deref(), Some(*came), "{came:?}");
        assert!(!repaired.impersonates, "{came:?}");
    }
    println!("{} own names", OWN_NAME.len());
}

#[test]
fn words_in_anothers_name_are_cut() {
    for (came, left) in OTHERS {
        let repaired = repaired(came);
        assert_eq!(repaired.text, *left, "{came:?}");
        assert!(repaired.raw.is_some() && repaired.impersonates, "{came:?}");
    }
    println!("{} impersonations", OTHERS.len());
}

#[test]
fn honest_words_stay_as_they_came() {
    for came in HONEST {
        let repaired = repaired(came);
        assert_eq!(repaired.text, *came);
        assert_eq!((repaired.raw, repaired.impersonates), (None, false), "{came:?}");
    }
    println!("{} honest texts", HONEST.len());
}

#[test]
fn reasoning_is_kept_apart() {
    let repaired = repaired("<think>\nBo: he would say no.\n</think>\n\nHello.");
    assert_eq!(repaired.text, "Hello.");
    assert_eq!(repaired.think.as_deref(), Some("Bo: he would say no.\n"));
    assert_eq!(repaired.raw, None);
}

#[test]
fn reasoning_that_a_chat_format_began_is_kept_apart() {
    let text = "I should greet them.\n</think>\n\nAda: Hello.";
    let repaired = repaired(text);
    assert_eq!((&*repaired.text, repaired.raw.is_some()), ("Hello.", true));
    assert_eq!(repaired.think.as_deref(), Some("I should greet them.\n"));
}
