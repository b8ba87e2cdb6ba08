//! Exported pages in a real browser: nothing in the text of a conversation runs.

#[path = "../corpus/mod.rs"]
#[allow(dead_code, reason = "the corpus has more than this file needs")]
mod corpus;

use crate::house::{House, end, talk};
use crate::program;
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// Effect of each attack if it runs.
const RUN: &str = "document.documentElement.dataset.ran=1";

/// Returns texts that would run if a page treated them as markup.
fn attacks() -> Vec<String> {
    let tags = [
        "<script>RUN</script>",
        "<img src=x onerror=\"RUN\">",
        "\"><svg onload=\"RUN\">",
        "'><body onpageshow='RUN'>",
        "</title></style></textarea><script>RUN</script>",
        "--><script>RUN</script><!--",
        "]]><script>RUN</script>",
        "<details open ontoggle=\"RUN\">",
        "<iframe srcdoc=\"<script>parent.RUN</script>\"></iframe>",
        "<style>@import 'http://127.0.0.1:9/x';</style>",
        "<meta http-equiv=refresh content=\"0;url=javascript:RUN\">",
        "<a href=\"javascript:RUN\" autofocus onfocus=\"RUN\">x</a>",
        "&lt;script&gt;RUN&lt;/script&gt;",
        "<\u{0}script>RUN</script>",
        "\u{fe64}script\u{fe65}RUN",
        "[x](javascript:RUN)",
        "${RUN} {{RUN}} `RUN`",
    ];
    tags.iter().map(|t| t.replace("RUN", RUN)).collect()
}

/// Returns a browser's DOM of a page after all scripts have run.
fn dom(browser: &str, folder: &Path, page: &str) -> String {
    let path = folder.join("page.html");
    fs::write(&path, page).unwrap();
    let profile = format!("--user-data-dir={}", folder.join("profile").display());
    let child = program::command(browser, folder)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
        ])
        .args(["--virtual-time-budget=2000", "--dump-dom", &profile])
        .arg(format!("file://{}", path.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    end(child).out
}

#[test]
#[ignore = "needs a Chromium: cargo test --test cli browser -- --ignored"]
fn nothing_that_was_said_runs_in_a_page() {
    let folders = ["/usr/bin", "/usr/local/bin", "/snap/bin"];
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let mut browsers = folders.iter().flat_map(|f| names.iter().map(move |n| format!("{f}/{n}")));
    let browser = browsers.find(|b| Path::new(b).exists()).expect("no Chromium is installed");

    let house = House::new();
    let attacks = attacks();
    let said = corpus::HOSTILE.iter().map(|t| (*t).to_owned()).chain(attacks.iter().cloned());
    let lines = said.map(|text| {
        json!({"after": {"utterance": 1}, "do": "say", "text": text}).to_string() + "\n"
    });
    let steer = house.file("steer.jsonl", &lines.collect::<String>());
    let named = talk(2, 1)
        .replace("title = \"A talk\"", &format!("title = {}", json!(attacks[4])))
        .replace(
            "name = \"Ada\"",
            &format!("name = {}\nrole = {}", json!(attacks[2]), json!(attacks[3])),
        );
    house.run(&["run", &house.file("talk.toml", &named), "--headless", "--steer", &steer]).code(0);
    let page = house.run(&["export", "--last", "--format", "html"]).code(0).out;

    let policy = "default-src 'none'";
    assert!(page.contains(policy));
    let unguarded = page.replace("http-equiv=\"Content-Security-Policy\"", "name=\"none\"");
    for (what, page) in [("the page", &page), ("the page without its policy", &unguarded)] {
        let dom = dom(&browser, house.home.path(), page);
        assert!(dom.contains("</html>") && dom.contains("Mentions"), "{what}: {dom}");
        let root = dom.split_once("<head>").unwrap().0;
        assert!(!root.contains("data-ran"), "{what} ran something: {root}");
        for element in ["<img", "<iframe", "<link"] {
            assert!(!dom.contains(element), "{what} has {element}");
        }
        assert_eq!(dom.matches("<script").count(), 1, "{what} has a script of its own");
        assert!(dom.contains("id=\"player\"") && !dom.contains("aria-label=\"Pause\""), "{what}");
    }
    // positive control: a script that does run
    let broken = unguarded.replace("</main>", &format!("</main><script>{RUN}</script>"));
    let root = dom(&browser, house.home.path(), &broken);
    assert!(root.split_once("<head>").unwrap().0.contains("data-ran"));
    let guarded = page.replace("</main>", &format!("</main><script>{RUN}</script>"));
    let root = dom(&browser, house.home.path(), &guarded);
    assert!(!root.split_once("<head>").unwrap().0.contains("data-ran"), "the policy forbids it");
    println!("{} texts, 0 that ran", corpus::HOSTILE.len() + attacks.len() + 3);
}
