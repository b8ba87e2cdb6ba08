//! Grids of models, values and repetitions, and games between models.

use crate::batches::{ITEM, at, item, results, rows, run_items, scenario, windows};
use crate::house::House;
use crate::program::{PATH, PROGRAM};
use crate::server::Server;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

#[test]
fn a_grid_runs_every_combination_with_baselines_of_its_own_and_can_be_extended() {
    let house = House::new();
    let server = Server::serving("Thought.\n\\boxed{4}", None, usize::MAX, &["m", "m2"]);
    let items = house.file("items.jsonl", ITEM);
    let out = at(&house, "out");
    let run = |vary: &[&str]| {
        let args = ["batch", "society-of-minds", "--items", &items, "--out", &out];
        let more = ["--endpoint", &server.url, "--baselines=plain-vote"];
        house.run(&[&args[..], &more, vary].concat()).code(0);
    };
    let models = ["--vary", "model=endpoint:m,endpoint:m2"];
    run(&[&models[..], &["--vary", "phase.2.rounds=1,2"]].concat());
    let all = results(&house, "out/results.jsonl");
    let mut made: Vec<(&str, &str, u64)> = all
        .iter()
        .map(|l| {
            let text = |key: &str| l[key].as_str().unwrap();
            (text("arm"), text("model"), l["calls_total"].as_u64().unwrap())
        })
        .collect();
    made.sort_unstable();
    assert_eq!(
        made,
        [
            ("plain-vote [m2; rounds=1]", "endpoint:m2", 3),
            ("plain-vote [m2; rounds=2]", "endpoint:m2", 3),
            ("plain-vote [m; rounds=1]", "endpoint:m", 3),
            ("plain-vote [m; rounds=2]", "endpoint:m", 3),
            ("society-of-minds [m2; rounds=1]", "endpoint:m2", 6),
            ("society-of-minds [m2; rounds=2]", "endpoint:m2", 9),
            ("society-of-minds [m; rounds=1]", "endpoint:m", 6),
            ("society-of-minds [m; rounds=2]", "endpoint:m", 9),
        ]
    );
    let told = house.run(&["batch", "report", &out]).code(0).out;
    assert!(told.contains("each examined arm against its baselines; 0 of 4"), "{told}");
    let asked = server.asked.lock().unwrap().len();
    run(&[&models[..], &["--vary", "phase.2.rounds=1,2,3"]].concat());
    let more = server.asked.lock().unwrap().len() - asked;
    assert_eq!(more, 2 * (12 + 3), "only the new cells are asked");
    let refused = ["batch", "society-of-minds", "--items", &items, "--vary", "rounds="];
    let refused = house.run(&refused).code(2).err;
    assert!(refused.contains("expected KEY=V1,V2"), "{refused}");
}

#[test]
fn repeated_models_and_repetitions_are_cells_that_a_longer_command_extends() {
    let house = House::new();
    let server = Server::serving("Thought.\n\\boxed{4}", None, usize::MAX, &["m", "m2"]);
    let items = house.file("items.jsonl", &(ITEM.to_owned() + &item(5)));
    let out = at(&house, "out");
    let run = |more: &[&str]| {
        let args = ["batch", "single", "--items", &items, "--out", &out, "--endpoint", &server.url];
        house.run(&[&args[..], more].concat()).code(0).err
    };
    let models = ["--model", "endpoint:m", "--model", "endpoint:m2", "--repeats"];
    let told = run(&[&models[..], &["2"]].concat());
    assert!(
        told.contains("single [m2]: 2 items 2 times, 1 call per conversation, 4 in total"),
        "{told}"
    );
    assert!(told.contains("8 of 8 conversations finished"), "{told}");
    assert!(run(&[&models[..], &["3"]].concat()).contains("12 of 12 conversations finished"));
    assert_eq!(server.asked.lock().unwrap().len(), 12, "nothing is asked twice");
    let all = results(&house, "out/results.jsonl");
    let places: BTreeSet<String> =
        all.iter().map(|l| format!("{} {} {}", l["arm"], l["item"], l["repeat"])).collect();
    let sessions: BTreeSet<&str> = all.iter().map(|l| l["session"].as_str().unwrap()).collect();
    assert_eq!((places.len(), sessions.len()), (12, 12));
    // one item is right and one is wrong in all repetitions: two clusters, not six conversations
    let accuracy = rows(&house, &out, "accuracy");
    assert!(accuracy[0].starts_with("single [m],6,6,3,0.5,0.0,1.0,"), "{accuracy:?}");
    let head = house.run(&["batch", "report", &out, "--table", "batch"]).code(0).out;
    assert!(head.contains("2 items or groups that were repeated"), "{head}");
    // another seed is another batch, and its results are further repetitions
    let args = ["batch", "single", "--items", &items, "--endpoint", &server.url, "--seed", "7"];
    let seeded = [&args[..], &models[..4]].concat();
    let refused = house.run(&[&seeded[..], &["--out", &out]].concat()).code(2).err;
    assert!(refused.contains("has results of seed 0, not 7"), "{refused}");
    let other = at(&house, "other");
    house.run(&[&seeded[..], &["--out", &other]].concat()).code(0);
    let merged = at(&house, "all.jsonl");
    house.run(&["batch", "merge", &out, &other, "-o", &merged]).code(0);
    assert!(rows(&house, &merged, "accuracy")[1].starts_with("single [m2],8,8,4,0.5,"));
    let both = ["batch", "single", "--items", &items, "--vary", "model=a,b"];
    let refused = house.run(&[&both[..], &models[..4]].concat()).code(2).err;
    assert!(refused.contains("--model is repeated, and --vary has models"), "{refused}");
}

#[test]
fn items_of_one_group_are_one_cluster() {
    let house = House::new();
    let text = "said = 0\n[answer]\nform = \"number\"\n[[participant]]\nid = \"ada\"\n\
        lines = [\"ANSWER: {{ item.said }}\"]\n[[phase]]\nname = \"p\"\n";
    let path = scenario(&house, "s", text);
    let line = |n: u32| {
        let group = n % 2;
        format!(
            "{{\"id\":\"{n}\",\"question\":\"?\",\"group\":{group},\"answer\":1,\"said\":{group}}}\n"
        )
    };
    let out = run_items(&house, &path, &(0..10).map(line).collect::<String>(), "out");
    assert!(rows(&house, &out, "accuracy")[0].starts_with("s,10,10,5,0.5,0.0,1.0,"));
    let all = results(&house, "out/results.jsonl");
    assert!(all.iter().any(|line| line["item"] == "3" && line["group"] == "1"), "{all:?}");
}

/// A debate in one round; the side shown first wins, then the side shown second, which is the same.
const GAME: &str = r#"
title = "Game"
topic = "{{ item.question }}"
policy = "phases"
[item]
question = "?"
[[participant]]
id = "pro"
[[participant]]
id = "con"
[[participant]]
id = "judge"
[[phase]]
name = "debate"
who = ["pro", "con"]
order = "simultaneous"
[verdict]
judge = "judge"
question = "Who argued better?"
sides = ["pro", "con"]
"#;

#[test]
fn models_debate_each_other_on_both_sides_and_have_a_leaderboard() {
    const JUDGED: &str = "First.\n---\nSecond.\n---\n{\"why\": \"so\", \"scores\": {}, \"winner\": \"Side 1\"}\n\
        ---\n{\"why\": \"so\", \"scores\": {}, \"winner\": \"Side 2\"}";
    let house = House::new();
    let server = Server::serving(JUDGED, None, usize::MAX, &["a", "b", "c", "j"]);
    let scenario = house.file("game.toml", GAME);
    let items = house.file(
        "items.jsonl",
        "{\"id\":\"x\",\"question\":\"?\"}\n{\"id\":\"y\",\"question\":\"?\"}\n",
    );
    let out = at(&house, "out");
    let sides = "endpoint:a,endpoint:b,endpoint:c";
    let args =
        ["batch", &scenario, "--items", &items, "--out", &out, "--sides", sides, "--jobs", "1"];
    let judge = ["--model", "endpoint:j", "--endpoint", &server.url];
    house.run(&[&args[..], &judge].concat()).code(0);
    let all = results(&house, "out/results.jsonl");
    assert_eq!(all.len(), 12, "three pairs, both sides, two items");
    let judged =
        |line: &Value| (line["judgements"]["read"].clone(), line["judgements"]["won"].clone());
    assert!(
        all.iter().all(|line| judged(line) == (2.into(), serde_json::json!({"pro": 2}))),
        "{all:?}"
    );
    let asked = server.asked.lock().unwrap();
    let model = |at: usize| serde_json::from_str::<Value>(&asked[at]).unwrap()["model"].clone();
    let mut debaters = [model(0), model(1)].map(|model| model.as_str().unwrap().to_owned());
    debaters.sort();
    assert_eq!((debaters, model(2), model(3)), (["a".into(), "b".into()], "j".into(), "j".into()));
    // the first side won every game, so that no model is better
    let told = house.run(&["batch", "report", &out, "--rate", "models"]).code(0).out;
    assert!(told.contains("100%") && told.matches(" 1000 ").count() >= 3, "{told}");
    // now a beats b and c, and b beats c, on either side
    let won = |line: &Value| {
        let arm = line["arm"].as_str().unwrap();
        let (one, other) =
            arm.split_once('[').unwrap().1.trim_end_matches(']').split_once(" v ").unwrap();
        let mut line = line.clone();
        let side = if one < other { "pro" } else { "con" };
        line["judgements"]["won"] = serde_json::json!({side: 2});
        format!("{line}\n")
    };
    fs::write(house.path("out/results.jsonl"), all.iter().map(won).collect::<String>()).unwrap();
    let board = ["batch", "report", &out, "--rate", "models", "--format"];
    let json = house.run(&[&board[..], &["json"]].concat()).code(0).out;
    let place = |model: &str| json.find(&format!("\"endpoint:{model}\"")).unwrap();
    assert!(place("a") < place("b") && place("b") < place("c"), "{json}");
    let csv = house.run(&[&board[..], &["csv"]].concat()).code(0).out;
    assert!(csv.lines().nth(1).unwrap().starts_with("endpoint:a,8,8,0,"), "{csv}");
    let page = at(&house, "board.html");
    house.run(&[&board[..], &["html", "-o", &page]].concat()).code(0);
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("<h3>Leaderboard</h3>") && page.contains("endpoint:a"), "{page}");
    let link = page.split("<a href=\"").nth(1).unwrap().split('"').next().unwrap();
    assert!(link.starts_with("out/sessions/") && house.path(link).is_file(), "{link}");
    assert_eq!(page.matches("<a href=").count(), 12);
    let refused = ["batch", "single", "--items", &items, "--sides", sides];
    let refused = house.run(&[&refused[..], &judge].concat()).code(2).err;
    assert!(refused.contains("--sides needs a verdict on two sides"), "{refused}");
    let none = house.run(&["batch", "report", &out, "--rate", "protocols"]).code(3).err;
    assert!(none.contains("nothing to rate"), "{none}");
}

/// The commands of `help experiments` as they are there, besides the address of the server and its windows.
#[test]
fn two_protocols_and_two_models_with_repeats_are_one_table_with_the_figures_of_any_program() {
    const REPLIES: &str = "A.\nCONFIDENCE: 80\nANSWER: 4\n---\nB.\nCONFIDENCE: 80\nANSWER: 5";
    let house = House::new();
    let server = Server::serving(REPLIES, None, usize::MAX, &["m", "m2"]);
    house.file("q.jsonl", &(ITEM.to_owned() + &item(5) + &item(6)));
    let settings = windows(&house, &["m", "m2"]);
    let page = house.run(&["help", "experiments"]).code(0).out;
    let part = page.split_once("## Two models, two protocols, three repeats").unwrap().1;
    let part = part.split_once("\n`pandas").unwrap().0;
    let part = part.replace("\\\n", "").replace("http://127.0.0.1:8000/v1", &server.url);
    let mut report = String::new();
    for command in part.lines().filter_map(|line| line.trim().strip_prefix("colloquium ")) {
        let mut words: Vec<&str> = command.split_whitespace().collect();
        if words.contains(&"--items") {
            words.extend(["--config", &settings]);
        }
        report = house.run(&words).code(0).out;
    }
    let merged = at(&house, "all.jsonl");
    let all = results(&house, "all.jsonl");
    assert_eq!(all.len(), 2 * 2 * 2 * 3 * 3);
    let accuracy = rows(&house, &merged, "accuracy");
    assert_eq!(accuracy.len(), 8, "{accuracy:?}");
    for row in &accuracy {
        let row: Vec<&str> = row.split(',').collect();
        let own: Vec<f64> = all
            .iter()
            .filter(|line| line["arm"] == row[0])
            .map(|line| f64::from(u8::from(line["correct"] == true)))
            .collect();
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        let shown: f64 = row[4].parse().unwrap();
        assert!(own.len() == 9 && (mean - shown).abs() < 1e-5, "{row:?} {mean}");
    }
    assert!(report.contains("each examined arm against its baselines; 0 of 4"), "{report}");
}

/// Schedulers in the place of GNU parallel, Slurm and Kubernetes.
#[test]
fn cluster_scripts_run_all_parts_and_merge_them() {
    let top = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/examples/cluster");
    let yaml = fs::read_to_string(format!("{top}/k8s-job.yaml")).unwrap();
    let pod = yaml.split_once("            - colloquium").unwrap().1;
    let pod = pod.split_once("          volumeMounts").unwrap().0;
    let pod =
        format!("colloquium {} --rehearsed", pod.split_whitespace().collect::<Vec<_>>().join(" "));
    let parts = "for n in 1 2 3 4 5 6 7 8; do";
    let parallel =
        "#!/bin/sh\nshift 2\nfor n in $(cat); do $(echo \"$*\" | sed \"s#{}#$n#\"); done\n";
    let slurm = format!(
        "{parts} SLURM_ARRAY_TASK_COUNT=8 SLURM_ARRAY_TASK_ID=$n {top}/slurm.sh single data/items.jsonl data/out \
         --rehearsed; done; colloquium batch merge data/out -o data/out/results.jsonl"
    );
    let pods = format!(
        "{parts} JOB_COMPLETION_INDEX=$((n - 1)) sh -c '{}'; done; \
         colloquium batch merge data/out -o data/out/results.jsonl",
        pod.replace("/data/scenario.toml", "single").replace("/data", "data")
    );
    let gnu = format!("{top}/gnu-parallel.sh single data/items.jsonl data/out --rehearsed");
    for script in [gnu, slurm, pods] {
        let house = House::new();
        house.file("data/items.jsonl", &(0..20).map(item).collect::<String>());
        house.program("bin/parallel", parallel);
        std::os::unix::fs::symlink(PROGRAM, house.path("bin/colloquium")).unwrap();
        let path = format!("{}:{PATH}", house.path("bin").display());
        let ran = house.other("sh").args(["-c", &script]).env("PATH", path).output().unwrap();
        assert!(ran.status.success(), "{script}: {}", String::from_utf8_lossy(&ran.stderr));
        let all = results(&house, "data/out/results.jsonl");
        let shards: BTreeSet<&str> =
            all.iter().map(|line| line["shard"].as_str().unwrap()).collect();
        assert_eq!((all.len(), shards.len()), (20, 8), "{script}");
    }
}

/// A judge that throws a die for each judgement contradicts itself in half of the games, not in all.
#[test]
fn simulated_judges_throw_a_die_for_each_judgement() {
    const LINES: &str = r#"id = "judge"
lines = [{ for = "judge", text = '''{"why": "so", "scores": {}, "winner": "{{ 'Side 1' if dice < 0.5 else 'Side 2' }}"}''' }]"#;
    let house = House::new();
    let text = GAME.replacen("id = \"judge\"", LINES, 1);
    let text = text.replace("id = \"pro\"", "id = \"pro\"\nlines = [\"x\"]");
    let text = text.replace("id = \"con\"", "id = \"con\"\nlines = [\"y\"]") + "swap_test = true\n";
    let path = house.file("judged.toml", &text);
    let out = run_items(&house, &path, &(0..40).map(item).collect::<String>(), "out");
    let all = results(&house, "out/results.jsonl");
    let won = |line: &&Value| line["judgements"]["won"].as_object().unwrap().len() == 1;
    let clear = all.iter().filter(won).count();
    assert!((10..=30).contains(&clear), "{clear} of 40 in {out}");
}
