//! Semantics of conditions and templates, and the limits that stop hostile ones.

use super::*;
use serde_json::json;

fn facts() -> Facts {
    Facts::new(json!({
        "context": { "needs_clarification": true, "status": "done", "n": 3, "none": null },
        "operator": { "said": "Really? Yes." },
        "history": [ { "by": "bob", "text": "hi" }, { "by": "eve", "text": "ho" } ],
        "turn_count": 4,
        "topic": "P = NP",
        "profile": { "music": false, "space": "", "kids": "none", "age": null },
    }))
}

fn check(source: &str, expected: Result<bool, &str>) {
    let found = Condition::compile(source).and_then(|c| c.holds(&facts()));
    match (found, expected) {
        (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{source}"),
        (Err(fault), Err(part)) => assert!(fault.message.contains(part), "{source}: {fault}"),
        (found, _) => panic!("{source}: {found:?}, not {expected:?}"),
    }
}

#[test]
fn conditions_are_evaluated() {
    for (source, expected) in [
        ("context.get('needs_clarification', False)", true),
        ("context.get('other', False)", false),
        ("context.get('other', True)", true),
        ("context.needs_clarification == True and not false", true),
        ("context.missing == 'done'", false),
        ("context.missing != 'done'", true),
        ("not context.missing", true),
        ("context.analyst.ready == True", false),
        ("context.missing is defined", false),
        ("context.none is none", true),
        ("context.none == None", true),
        ("'?' in operator.said", true),
        ("'*~' in operator.said", false),
        ("'it\\'s * ~ fine' in operator.said", false),
        ("operator.said.lower().startswith('really')", true),
        ("count(history) == 2 and count(context) == 4", true),
        ("(turn_count == 4) is True and (turn_count == 5) is not True", true),
        ("history | length == 2", true),
        ("count(profile, ['music', 'space', 'kids', 'age', 'other']) == 2", true),
        ("history[1].by == 'eve' and history[-1].by == 'eve'", true),
        ("turn_count >= 4 if topic else turn_count > 100", true),
        ("turn_count % 2 == 0 and turn_count - 1 == 3", true),
        ("'bob' in history | map(attribute='by')", true),
        ("history | selectattr('by', 'eq', 'bob') | length == 1", true),
        ("history | groupby('by') | map(attribute='grouper') | last == 'eve'", true),
        ("topic in ['a', 'P = NP']", true),
        ("1 < turn_count < 9", true),
        ("1 < turn_count < 3", false),
        ("(1 < turn_count) == (count(history) >= 2)", true),
        ("context.missing > 3 or context.none >= 1", false),
        ("context.status is number and context.status > 3", false),
        ("history | selectattr('by', 'gt', 'bob') | length == 1", true),
        ("turn_count>=4 and 'a'<'b'and[1]<[2]", true),
        ("[turn_count > 3, 1][0] and count(history) - 1 <= turn_count - 3", true),
        ("'<' in '1 < 2' and not turn_count < 2", true),
        ("turn_count * 2 > 7 and 2 * turn_count == 8 and 9 > 2*turn_count", true),
        ("count(history) * 2 * (turn_count - 1) == 12", true),
        ("-turn_count * 2 < 0 and context.n * 1.5 < 4.6", true),
        ("count(history[-1:]) == 1 and count(history[1:]) == 1 and count(history[:]) == 2", true),
        (
            "history[-2:][0].by == 'bob' and history[1:] | map(attribute='by') | first == 'eve'",
            true,
        ),
        ("topic[:1] == 'P' and topic[-2:] == 'NP' and count(history[5:]) == 0", true),
    ] {
        check(source, Ok(expected));
    }
}

#[test]
fn faults_have_message_and_position() {
    for (source, part, column) in [
        ("contxt.get('x', False)", "unknown name `contxt`", 0),
        ("True or 'missing' == missing", "unknown name `missing`", 21),
        ("context.missing", "undefined value", 0),
        ("1 if context.missing", "undefined value", 0),
        ("turn_count == ", "unexpected end of input", 11),
        ("turn_count = 4", "unexpected", 11),
        ("'a' * 100000000 == ''", "`*` is not allowed here", 4),
        ("'a' ~ 'b' == 'ab'", "`~` is not allowed here", 4),
        ("context.status.format(1)", "no method `format`", 15),
        ("context | tojoson", "no filter `tojoson`", 10),
        ("context is nunber", "no test `nunber`", 11),
        ("history | selectattr('text', 'contains', 'h') | length", "no test `contains`", 30),
        ("count(histry[-2:]) == 2", "unknown name `histry`", 6),
        ("turn_count ** 2 > 1", "`*` is not allowed here", 11),
        ("topic * turn_count == ''", "`*` multiplies numbers only", 0),
        ("2 < turn_count * topic", "`*` multiplies numbers only", 17),
        ("history | length * 2 == 4", "brackets help", 17),
        ("not context is not strng", "no test `strng`", 19),
        ("range(100000000)", "unknown name `range`", 0),
        ("turn_count // 0 == 1", "", 0),
    ] {
        let fault = Condition::compile(source).and_then(|c| c.holds(&facts())).unwrap_err();
        assert!(fault.message.contains(part), "{source}: {fault}");
        assert_eq!(fault.column, column, "{source}: {fault}");
    }
}

#[test]
fn unlike_kinds_have_no_order() {
    for (source, told, column) in [
        ("history > 3", "a list and a number cannot be compared; count(...) gives", 10),
        ("topic and 3 <= context", "a number and a mapping cannot be compared", 15),
        ("turn_count > '3'", "a number and a text cannot be compared", 13),
        ("turn_count > True", "a number and true or false cannot be compared", 13),
        ("1 < turn_count < topic", "a number and a text cannot be compared", 17),
        ("(1 < 2) and (topic >= 3)", "a text and a number cannot be compared", 22),
        ("history | selectattr('by', 'gt', 3) | length == 1", "a text and a number", 10),
    ] {
        let fault = Condition::compile(source).and_then(|c| c.holds(&facts())).unwrap_err();
        assert!(fault.message.contains(told), "{source}: {fault}");
        assert_eq!(fault.column, column, "{source}: {fault}");
    }
    for source in ["{{ 'x' if history > 3 }}", "a{%- if history > 3 -%}b{% endif %}"] {
        let fault = Template::compile(source).and_then(|t| t.render(&facts())).unwrap_err();
        assert!(fault.message.contains("cannot be compared"), "{source}: {fault}");
    }
    let text = "{% for h in history if h.by > 'b' %}{{ h.by }}{% if turn_count > 3 -%} ,{% endif %}{% endfor %}";
    let shown = Template::compile(text).and_then(|t| t.render(&facts()));
    assert_eq!(shown.as_deref(), Ok("bob,eve,"));
}

#[test]
fn templates_are_text_with_facts() {
    let check = |source: &str, expected: &str| {
        let text = Template::compile(source).and_then(|t| t.render(&facts()));
        assert_eq!(text.as_deref(), Ok(expected), "{source}");
    };
    check("", "");
    check("plain { text }\n100% #1\n", "plain { text }\n100% #1");
    check("{{ topic }} & <{{ context.none }}{{ context.missing }}>", "P = NP & <>");
    check("{# a * b #}{% if turn_count > 3 %}late{% else %}early{% endif %}", "late");
    check("{%- for h in history %}{{ h.by }}{{ ', ' if not loop.last }}{% endfor -%} ", "bob, eve");
    check("{{ history | map(attribute='by') | join(' and ') }}", "bob and eve");
    check(
        "{{ context | tojson }}",
        r#"{"n":3,"needs_clarification":true,"none":null,"status":"done"}"#,
    );
    check("{{ '}} * ~ {{' }}", "}} * ~ {{");
    check("{{ True }} {{ 1.5 }}", "True 1.5");
}

#[test]
fn faults_of_templates_say_where() {
    let long = format!("ab{{{{ '{}' }}}}", "x".repeat(EXPRESSION_LIMIT));
    for (source, column) in [
        (&*long, "ab{{".len() + EXPRESSION_LIMIT),
        ("don't say topci: {{ topic }}{{ topci }}", 31),
        ("a\n{% if 1 %}{{ topic | x }}{% endif %}", 23),
    ] {
        let fault = Template::compile(source).and_then(|t| t.render(&facts())).unwrap_err();
        assert_eq!(fault.column, column, "{source}: {fault}");
    }
}

#[test]
fn templates_have_bounds() {
    for (source, part) in [
        ("{{ topci }}", "unknown name `topci`"),
        ("{{ topic", "not closed with `}}`"),
        ("{# topic", "not closed with `#}`"),
        ("{{ {'a': 1} }}", "braces"),
        ("{% set a = 'x' %}", "unknown template tag `set`"),
        ("{% macro a() %}{% endmacro %}", "unknown template tag `macro`"),
        ("{% include 'x' %}", "unknown template tag `include`"),
        ("{% raw %}{% endraw %}", "unknown template tag `raw`"),
        ("{{ topic ~ topic }}", "`~` is not allowed here"),
        ("{% for a in history recursive %}{{ loop(history) }}{% endfor %}", "recursive"),
        ("{% for a in [1] %}{% for b in [a] %}{% for c in [b] %}", "nested deeper than 2"),
        (&"{{ 1 }}".repeat(201), "200 tags"),
        (&"x".repeat(TEMPLATE_LIMIT + 1), "longer than"),
        (&format!("{{{{ '{}' }}}}", "x".repeat(1100)), "longer than 1024"),
    ] {
        let fault = Template::compile(source).and_then(|t| t.render(&facts())).unwrap_err();
        assert!(fault.message.contains(part), "{source}: {fault}");
    }
    for source in ["{{ 1 }}".repeat(200), "x".repeat(TEMPLATE_LIMIT)] {
        assert!(Template::compile(&source).is_ok(), "the limit itself is allowed");
    }
}

#[test]
fn facts_lie_over_facts() {
    let over = Facts::new(json!({ "topic": "bees" })).over(&facts());
    let template = Template::compile("{{ topic }} {{ turn_count }}").unwrap();
    assert_eq!(template.render(&over).unwrap(), "bees 4");
    assert_eq!(template.render(&facts()).unwrap(), "P = NP 4");
}

#[test]
fn both_can_be_shared_between_threads() {
    fn shared<T: Send + Sync + Clone>() {}
    shared::<Condition>();
    shared::<Template>();
    shared::<Facts>();
}

/// Runs in a thread with the small stack of a task, so that deep recursion would abort the test.
fn on_a_small_stack(run: impl FnOnce() + Send + 'static) {
    const STACK_BYTES: usize = 2 * 1024 * 1024;
    std::thread::Builder::new().stack_size(STACK_BYTES).spawn(run).unwrap().join().unwrap();
}

fn conditions_that_must_fail() -> Vec<String> {
    vec![
        "'{:999999999}'.format(1)".into(),
        "'a' * 100000000".into(),
        "not ".repeat(200_000) + "1",
        "not ".repeat(200) + "1",
        "-".repeat(1000) + "1",
        "- ".repeat(500) + "1",
        "(".repeat(500) + "1" + &")".repeat(500),
        "[".repeat(1000),
        "{1:".repeat(300),
        "x[".repeat(400),
        "f(".repeat(400),
        "1 if 1 else ".repeat(80) + "missing",
        "a.".repeat(500) + "b",
        "a|".repeat(500) + "b",
        "1|lower".to_owned() + &"|nothing".repeat(120),
        "2 ** 2 ** 2 ** 2 ** 2 ** 2".into(),
        "9999999999999999999999999999999999999999999999999999999999".into(),
        "170141183460469231731687303715884105727 + 1".into(),
        "range(100000000)".into(),
        "operator.said.replace('', operator.said)".into(),
        "operator.said.join(operator.said)".into(),
        "long | join(long)".into(),
        "long | indent(999999999)".into(),
        "long | batch(1, 'x')".into(),
        "context | pprint".into(),
        "{'a': 1".into(),
        "'never ends".into(),
        "\"\\".into(),
        "\u{0}".into(),
        "%}".into(),
        "}}".into(),
        String::new(),
        "many | map('map') | list".into(),
    ]
}

#[test]
fn hostile_conditions_end_as_faults() {
    on_a_small_stack(|| {
        let facts = Facts::new(json!({ "long": "x".repeat(65_536), "many": vec![1; 10_000] }))
            .over(&facts());
        let all = conditions_that_must_fail();
        for source in &all {
            let found = Condition::compile(source).and_then(|c| c.holds(&facts));
            assert!(found.is_err(), "{source:.60}: {found:?}");
        }
        // long but harmless: these may succeed, but must return
        let chains = [
            "1 + ".repeat(200) + "1",
            "1 if ".repeat(200) + "1",
            "1 and ".repeat(150) + "1",
            "1 < ".repeat(200) + "1",
            "context".to_owned() + &".x".repeat(450) + " is defined",
            "long".to_owned() + &" + long".repeat(100) + " == ''",
            "topic".to_owned() + &"|lower".repeat(140) + " == ''",
            "topic".to_owned() + &"[0]".repeat(300) + " == ''",
            "topic".to_owned() + &".lower()".repeat(110) + " == ''",
            "[".to_owned() + &"1,".repeat(500) + "]",
            "1 if 0 else ".repeat(29) + "1",
        ];
        for source in &chains {
            let found = Condition::compile(source).and_then(|c| c.holds(&facts));
            println!("{source:.40} -> {found:?}");
        }
        println!("hostile conditions: {} faults, {} came back", all.len(), chains.len());
    });
}

#[test]
fn hostile_templates_end_as_faults() {
    on_a_small_stack(|| {
        let facts = Facts::new(
            json!({ "long": "x".repeat(60_000), "many": vec![1; 10_000], "some": vec![1; 400] }),
        );
        let ifs = "{% if 1 %}".repeat(100) + &"{% endif %}".repeat(100);
        let elifs = "{% if 0 %}".to_owned() + &"{% elif 0 %}".repeat(190) + "{% endif %}";
        for source in [ifs, elifs] {
            println!(
                "{source:.30} -> {:?}",
                Template::compile(&source).and_then(|t| t.render(&facts))
            );
        }
        let steps =
            Template::compile("{% for a in some %}{% for b in some %}{% endfor %}{% endfor %}");
        let fault = steps.and_then(|t| t.render(&facts)).unwrap_err();
        assert_eq!(fault.message, "too many steps");
        for source in [
            "{{ long }}{{ long }}",
            "{% for a in many %}{% for b in many %}x{% endfor %}{% endfor %}",
            "{% for a in many %}{{ long }}{% endfor %}",
            "{{ [long, long] | join(long) }}",
            "{{ many | map('string') | join(long) }}",
            "{{ [long, long, long] }}",
        ] {
            let found = Template::compile(source).and_then(|t| t.render(&facts));
            assert!(found.is_err(), "{source}");
        }
    });
}

/// Concatenates long texts of the facts as often as the length of a source allows.
#[test]
fn long_texts_are_not_made_longer_without_a_bound() {
    let facts = Facts::new(json!({ "context": { "long": "x".repeat(3_000_000) }, "n": 1 }));
    // 32 MiB have room for eleven texts
    for (times, fits) in [(11, true), (12, false)] {
        let source = format!("{{{{ ({}) | length }}}}", vec!["context.long"; times].join(" + "));
        let shown = Template::compile(&source).and_then(|t| t.render(&facts));
        assert_eq!(shown.is_ok(), fits, "{times}: {shown:?}");
    }
    let chain = |sign: &str| vec!["l"; 200].join(sign);
    let list = chain(",");
    for (source, part) in [
        (format!("{{{{ {} | length }}}}", vec!["context.long"; 40].join(" + ")), "too much memory"),
        (
            format!(
                "{{% for l in [context.long + context.long] %}}{{{{ {} }}}}{{% endfor %}}",
                chain("+")
            ),
            "head of a loop",
        ),
        (
            format!(
                "{{% for l in [context.long] %}}{{{{ ({}) | length }}}}{{% endfor %}}",
                chain("+")
            ),
            "too much memory",
        ),
        (
            format!("{{% for l in [context.long] %}}{{{{ [{list}] | upper }}}}{{% endfor %}}"),
            "longer than",
        ),
        (
            format!("{{% for l in [context.long] %}}{{{{ [{list}] | string }}}}{{% endfor %}}"),
            "longer than",
        ),
        (
            format!("{{% for l in [context.long] %}}{{{{ [{list}] | tojson }}}}{{% endfor %}}"),
            "longer than",
        ),
        (
            format!("{{% for l in [context.long] %}}{{{{ [{list}] | join }}}}{{% endfor %}}"),
            "longer than",
        ),
        (
            format!(
                "{{% for l in [context.long] %}}{{{{ [[{list}]] | map('trim') | join }}}}{{% endfor %}}"
            ),
            "longer than",
        ),
    ] {
        let fault = Template::compile(&source).and_then(|t| t.render(&facts)).unwrap_err();
        assert!(fault.message.contains(part), "{source:.80}: {fault}");
    }
    let slices = vec!["context.long[:]"; 40].join(" + ");
    let fault = Condition::compile(&slices).and_then(|c| c.holds(&facts)).unwrap_err();
    assert!(fault.message.contains("memory"), "{fault}");
    let sum = |source: &str| Condition::compile(source).and_then(|c| c.holds(&facts));
    assert!(sum(&vec!["context.long"; 40].join(" + ")).unwrap_err().message.contains("memory"));
    assert_eq!(sum(&(vec!["n"; 200].join(" + ") + " == 200")), Ok(true));
    assert_eq!(sum("'x' in context.long"), Ok(true), "long texts can be asked about");
}

#[test]
fn a_fault_says_its_line() {
    let source = "One\ntwo {{ thre }}";
    let fault = Template::compile(source).and_then(|t| t.render(&facts())).unwrap_err();
    assert_eq!(fault.place(source), "line 2, character 8");
    assert_eq!(fault.place(""), "character 1");
}

#[test]
fn the_same_condition_can_be_asked_again() {
    let condition = Condition::compile("n > 2").unwrap();
    for n in 0..5_i64 {
        assert_eq!(condition.holds(&Facts::new(json!({ "n": n }))), Ok(n > 2));
    }
}

#[test]
fn a_value_is_shown_and_a_function_is_called() {
    let facts = facts().with_function(
        "prompt",
        std::sync::Arc::new(|arguments| match arguments {
            [who, n] => Ok(json!(format!("{} {n}", who.as_str().unwrap_or_default()))),
            _ => Err("prompt takes a seat and a number".into()),
        }),
    );
    let value = |source: &str| Condition::compile(source).and_then(|c| c.value(&facts));
    assert_eq!(value("prompt('bob', 3)").unwrap(), json!("bob 3"));
    assert_eq!(value("history[0].text").unwrap(), json!("hi"));
    assert_eq!(value("context.missing").unwrap(), json!(null));
    assert!(value("prompt()").unwrap_err().message.contains("takes a seat"));
    assert!(value("promt('bob', 3)").unwrap_err().message.contains("`promt`"));
}
