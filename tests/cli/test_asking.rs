//! The conditions under which `colloquium test` calls models, and the limit of their cost.

use crate::house::House;
use crate::server::Server;

/// A test with a model as a participant, a model as a person, and a model as a judge.
const ALL_KINDS: &str = "[scenario]\ntitle = \"A talk\"\nlimits = { utterances = 6 }\n\
    [[scenario.participant]]\nid = \"ada\"\n[[scenario.participant]]\nid = \"me\"\nhuman = true\n\
    [[voice]]\nseat = \"ada\"\nmodel = \"mine:tiny\"\n\
    [[voice]]\nseat = \"me\"\nmodel = \"mine:tiny\"\nperson = { goal = \"learn the time\" }\n\
    [[expect]]\njudge = \"mine:tiny\"\nquestion = \"Is it polite?\"\nvotes = 3\n";

/// A test whose only model is the first speaker.
const ONE_SEAT: &str = "[scenario]\ntitle = \"A talk\"\nlimits = { utterances = 6 }\n\
    [[scenario.participant]]\nid = \"ada\"\n[[scenario.participant]]\nid = \"bo\"\n\
    [[voice]]\nseat = \"ada\"\nmodel = \"mine:tiny\"\n[[voice]]\nseat = \"bo\"\nlines = [\"Yes.\"]\n\
    [[expect]]\nthat = \"ended\"\n";

fn settings(house: &House, url: &str, more: &str) {
    let text = format!("[providers.mine]\nwire = \"openai\"\nbase_url = \"{url}\"\n{more}\n");
    house.file(".config/colloquium/config.toml", &text);
}

fn calls(server: &Server) -> usize {
    server.asked.lock().unwrap().len()
}

/// `--trust` is consent to scripts, not to requests.
#[test]
fn calls_no_model_and_fetches_no_key_without_consent() {
    let house = House::new();
    let server = Server::start("Reply {n}.", Some("sk-1"));
    let key = format!(
        "api_key_command = [\"sh\", \"-c\", \"echo >> {}; echo sk-1\"]",
        house.path("fetched").display()
    );
    settings(&house, &server.url, &key);
    house.file("all.test.toml", &format!("runs = 9\n{ALL_KINDS}"));
    let judge = ALL_KINDS
        .replace("model = \"mine:tiny\"", "lines = [\"Well.\"]")
        .replace("person = { goal = \"learn the time\" }", "");
    house.file("judge.test.toml", &judge);
    for args in [&["test"][..], &["test", "--trust"], &["test", "--offline"], &["test", "--bless"]]
    {
        let ran = house.run(args).code(3);
        for file in ["all", "judge"] {
            let command = format!("ask and record it: colloquium test {file}.test.toml --ask");
            assert!(ran.out.contains(&command), "{args:?}: {}", ran.out);
        }
        assert!(ran.out.contains("no reply is recorded for"), "{args:?}: {}", ran.out);
    }
    house.file("far.test.toml", &judge.replace("mine:tiny", "endpoint:tiny"));
    let far = house.run(&["test", "far.test.toml"]).code(3).out;
    assert!(far.contains("colloquium test far.test.toml --endpoint URL --ask"), "{far}");
    assert_eq!(calls(&server), 0);
    assert!(!house.path("fetched").exists());
    house.run(&["test", "--offline", "--ask"]).code(2);
    let ran = house.run(&["test", "--ask"]);
    assert!(calls(&server) > 0 && house.path("fetched").exists(), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("requests to models"), "{}", ran.err);
    for line in ["waiting for mine:tiny: judge\n", "waiting for mine:tiny: ada\n"] {
        assert!(ran.err.contains(line), "{line}: {}", ran.err);
    }
    let quiet = house.run(&["--quiet", "test", "--ask", "--record", "judge.test.toml"]);
    assert!(!quiet.err.contains("waiting for"), "{}", quiet.err);
}

#[test]
fn reports_an_estimate_and_stops_at_the_limit_in_dollars() {
    let house = House::new();
    let server = Server::start("Reply {n}.{usage}", None);
    // 1,000 tokens in and 200 out cost a dollar
    settings(&house, &server.url, "[models.\"mine:tiny\"]\nprice = [900.0, 500.0]");
    house.file(
        "m.test.toml",
        &format!("runs = 50\n{ONE_SEAT}").replace("id = \"ada\"", "id = \"ada\"\nmax_tokens = 300"),
    );
    let ran = house.run(&["test", "--ask", "--max-usd", "2.1", "--jobs", "1"]).code(5);
    assert!(
        ran.out.contains("the limit of $2.10 for models is reached; raise --max-usd"),
        "{}",
        ran.out
    );
    assert!(
        ran.err.contains("about 150 requests to models") && ran.err.contains("limit $2.10"),
        "{}",
        ran.err
    );
    assert_eq!(calls(&server), 2);
    // the default limit is one dollar
    let ran = house.run(&["test", "--record"]).code(5);
    assert!(ran.out.contains("the limit of $1.00 for models is reached"), "{}", ran.out);
    assert_eq!(calls(&server), 3);
}

/// Without a price, the default limit counts tokens; an explicit limit in dollars is rejected.
#[test]
fn refuses_only_a_named_limit_for_a_model_without_a_price() {
    let house = House::new();
    settings(&house, "http://192.0.2.1/v1", "");
    house.file("m.test.toml", ONE_SEAT);
    let ran = house.run(&["test", "--ask", "--max-usd", "2"]).code(3);
    assert!(
        ran.err.contains("the limit of $2.00 cannot be enforced: no price is known for mine:tiny"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("[models.\"mine:tiny\"] price ="), "{}", ran.err);
}
