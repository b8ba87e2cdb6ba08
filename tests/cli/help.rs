//! The help pages, and the examples of the README: each one runs as printed.

use crate::house::{House, talk};
use colloquium::model::facts;
use colloquium::testing::EXPECT_NAMES;
use std::fs;
use std::path::Path;

fn top(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Returns the block of the README with this language and these words.
fn example(language: &str, words: &str) -> String {
    let readme = top("README.md");
    let fence = format!("```{language}\n");
    let mut blocks = readme.split(&fence).skip(1).filter_map(|b| b.split("```").next());
    blocks.find(|b| b.contains(words)).unwrap().to_owned()
}

#[test]
fn every_page_is_listed_and_printed() {
    let house = House::new();
    let list = house.run(&["help"]).code(0).out;
    let pages = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/help")).unwrap();
    for page in pages.map(|entry| entry.unwrap().path()) {
        let topic = page.file_stem().unwrap().to_str().unwrap();
        assert!(list.contains(&format!("\n  {topic} ")), "{list}");
        let printed = house.run(&["help", topic]).code(0).out;
        if topic == "expressions" {
            assert!(
                printed.contains(&facts::help_rows()) && !printed.contains("{names}"),
                "{printed}"
            );
        } else if topic == "results" {
            assert!(!printed.contains("{columns}"), "{printed}");
        } else {
            assert_eq!(printed, fs::read_to_string(&page).unwrap());
        }
        assert!(printed.lines().all(|l| l.chars().count() <= 80), "{topic}");
    }
}

/// Every fact of conditions has a row of names, and every example is true of a small conversation.
#[test]
fn the_examples_of_expressions_hold() {
    let house = House::new();
    let page = house.run(&["help", "expressions"]).code(0).out;
    for name in facts::OF_CONVERSATION.iter().chain(facts::OF_CALL).chain(EXPECT_NAMES) {
        assert!(page.contains(&format!("\n    {name} ")), "{name}: {page}");
    }
    let (_, examples) = page.split_once("## Examples\n").unwrap();
    let examples: Vec<&str> = examples.lines().filter_map(|l| l.strip_prefix("    ")).collect();
    assert!(examples.len() >= 10, "{examples:?}");
    let expects: String =
        examples.iter().map(|that| format!("[[expect]]\nthat = \"{that}\"\n")).collect();
    let talk = "scenario = { title = \"S\", limits = { utterances = 4 }, participant = [{ id = \"ada\" }, { id = \"bo\" }] }\n\
        [[voice]]\nseat = \"all\"\nlines = [\"One thing here.\", \"Another thing there.\"]\n";
    let file = house.file("page.test.toml", &format!("{talk}{expects}"));
    house.run(&["test", &file]).code(0);
}

#[test]
fn command_options_come_before_global_options() {
    let house = House::new();
    for command in ["run", "resume", "fork", "batch", "ask", "models", "export"] {
        let help = house.run(&[command, "--help"]).code(0).out;
        let headings: Vec<&str> =
            help.lines().filter(|l| l.ends_with(':') && !l.starts_with(' ')).collect();
        assert_eq!(headings.last(), Some(&"Global options:"), "{command}: {headings:?}");
    }
}

#[test]
fn a_command_is_a_topic_and_a_wrong_one_is_refused() {
    let house = House::new();
    let options = house.run(&["help", "fork"]).code(0).out;
    assert!(options.contains("Usage: colloquium fork") && options.contains("--at"), "{options}");
    let refused = house.run(&["help", "stering"]).code(2).err;
    assert!(refused.contains("no help topic or command `stering`"), "{refused}");
    assert!(refused.contains("steering, scenarios"), "{refused}");
}

#[test]
fn steering_page_lists_schema_commands() {
    let schema = House::new().run(&["schema", "steer"]).code(0).out;
    let page = top("assets/help/steering.md");
    let names = page.lines().filter_map(|l| l.strip_prefix("    ")?.split_once("  "));
    for name in names.flat_map(|(names, _)| names.split(", ")).filter(|n| !n.contains('{')) {
        assert!(schema.contains(&format!("\"{name}\"")), "`{name}` is no command");
    }
}

#[test]
fn the_scenario_and_the_script_of_the_readme_run() {
    let house = House::new();
    let scenario = example("toml", "title = \"Tabs or spaces\"");
    let persona = scenario.lines().find(|l| l.starts_with("persona")).unwrap();
    let scenario = scenario.replace(persona, "lines = [\"Tabs.\", \"I said tabs.\", \"Tabs!\"]");
    let file = house.file("mine.toml", &scenario);
    house.file("sam.py", &example("python", "json.load"));
    let ran = house.run(&["run", &file, "--headless", "--trust"]).code(0);
    assert!(ran.out.contains("Spaces. I heard: I said tabs."), "{}\n{}", ran.out, ran.err);
}

#[test]
fn readme_steering_example_has_the_described_effect() {
    let house = House::new();
    let shell = example("sh", "LINES");
    let lines: String =
        shell.lines().filter(|l| l.starts_with('{')).map(|l| l.to_owned() + "\n").collect();
    let file = house.file("steer.jsonl", &lines);
    let out = house.run(&["demo", "--headless", "--steer", &file]).code(0).out;
    let cut = out.find("And who pays for all this?").unwrap();
    assert!(out[..cut].contains("cut") && out[cut..].contains("Ada"), "{out}");
}

/// The debate that the README links to is what its command prints, after a line on how it was recorded.
#[test]
fn the_debate_beside_the_readme_is_its_export() {
    let exported = House::new().run(&["export", "example-crux", "--format", "md", "--clean"]);
    let debate = top("assets/debate.md");
    let (origin, debate) = debate.split_once("\n\n").unwrap();
    assert!(origin.contains("written by hand"), "{origin}");
    assert_eq!(debate, exported.code(0).out);
}

#[test]
fn the_test_of_the_readme_passes_and_can_fail() {
    let house = House::new();
    house.file("mine.toml", &example("toml", "title = \"Tabs or spaces\""));
    let test = example("toml", "Any width");
    let file = house.file("tabs.test.toml", &test);
    let ran = house.run(&["test", &file]).code(0);
    assert!(ran.out.contains("1 passed"), "{}\n{}", ran.out, ran.err);
    let wrong = house.file("wrong.test.toml", &test.replace("'Any width'", "'No width'"));
    house.run(&["test", &wrong]).code(1);
}

/// Returns whether printed lines match the lines on the page, in which `...` matches any lines.
fn agrees(shown: &[&str], printed: &str) -> bool {
    let mut rest: Vec<&str> = printed.lines().collect();
    let mut skips = false;
    for line in shown {
        if *line == "..." {
            skips = true;
            continue;
        }
        let found = rest.iter().position(|l| l == line).filter(|at| skips || *at == 0);
        let Some(at) = found else { return false };
        rest.drain(..=at);
        skips = false;
    }
    skips || rest.is_empty()
}

/// From a file of questions to a report, as on the page.
#[test]
fn experiments_example_prints_the_output_on_the_page() {
    let page = top("assets/help/experiments.md");
    let part = page.split_once("## A worked example").unwrap().1.split_once("\n## ").unwrap().0;
    let code = part
        .lines()
        .skip_while(|l| !l.starts_with("    "))
        .take_while(|l| l.starts_with("    ") || l.is_empty());
    let code: Vec<&str> = code.map(|l| l.get(4..).unwrap_or_default()).collect();
    let house = House::new();
    let mut ran = 0;
    for block in code.join("\n").split("$ ").skip(1) {
        let (command, shown) = block.split_once('\n').unwrap();
        let words: Vec<&str> = command.split_whitespace().collect();
        match words[..] {
            ["cat", file] => {
                house.file(file, shown);
            }
            ["colloquium", ..] => {
                let mut command = house.command(&words[1..]);
                let out = command.output().unwrap();
                let printed = [out.stderr, out.stdout].concat();
                let printed = String::from_utf8(printed).unwrap();
                // a slow machine has time for a line of progress
                let is_result = |line: &&str| !line.contains(" conversations over, ");
                let printed: Vec<&str> = printed.lines().filter(is_result).collect();
                let printed = printed.join("\n");
                let shown: Vec<&str> = shown.trim_end().lines().collect();
                assert!(agrees(&shown, &printed), "{words:?} prints:\n{printed}");
                ran += 1;
            }
            _ => panic!("{words:?}"),
        }
    }
    assert_eq!(ran, 4);
    assert!(house.path("report.html").exists());
}

#[test]
fn lists_the_first_commands_and_names_the_others() {
    let house = House::new();
    let help = house.run(&["--help"]).code(0).out;
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let (commands, options) = commands.split_once("\n\n").unwrap();
    let lines = commands.lines().filter(|line| !line.starts_with("    "));
    assert_eq!(lines.count(), 11, "{commands}");
    assert!(options.contains("More commands") && options.contains("batch"), "{options}");
    let batch = house.run(&["batch", "--help"]).code(0).out;
    assert!(!batch.contains("More commands"), "{batch}");
    assert!(house.run(&["man"]).code(0).out.contains("colloquium\\-batch"));
    // second words for one thing work, and are not listed
    assert!(!help.contains("paths"), "{help}");
    let folders = house.run(&["paths"]).code(0).out;
    let doctor = house.run(&["doctor"]).code(0).out;
    for path in folders.lines().filter_map(|line| line.split_whitespace().nth(1)) {
        assert!(doctor.contains(path), "{path}: {doctor}");
    }
    let sessions = house.run(&["sessions", "--help"]).code(0).out;
    assert!(!sessions.contains("  show "), "{sessions}");
}

/// Placeholders vote for nobody and plan nothing, so an end that they cause is no forecast.
#[test]
fn a_plan_that_depends_on_replies_says_so() {
    let house = House::new();
    for name in ["consensus", "planner-executor", "moderated-panel"] {
        let told = house.run(&["check", name]).code(0).out;
        assert!(told.contains("then it depends on the replies"), "{name}: {told}");
        for invented in ["no votes", "failed", "nobody answered yet", "no choice came from"] {
            assert!(!told.contains(invented), "{name}: {told}");
        }
    }
    let told = house.run(&["check", "debug-loop"]).code(0).out;
    assert!(told.ends_with("finished; conditions may change this order\n"), "{told}");
}

#[test]
fn check_and_dry_run_print_one_plan() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(4, 3));
    let check = house.run(&["check", &path]).code(0).out;
    let dry = house.run(&["run", &path, "--dry-run"]).code(0).out;
    assert!(dry.starts_with(&check) && check.contains("1 Ada"), "{check}\n{dry}");
    // placeholder judgements are no failure of the conversation
    let judged = house.run(&["check", "formal-debate"]).code(0).out;
    assert!(judged.ends_with("    ends with the verdict\n"), "{judged}");
}
