//! Processes of tests come from one constructor, so that none inherits the environment of a person; the programs that
//! they run are written by one function, so that none is open for writing when it starts.

use crate::source::Source;
use crate::{none, root};

/// The constructor.
const PLACE: &str = "tests/program/mod.rs";
/// Other constructors of processes, the macros that find the built program, and a copy that keeps an executable file
/// executable.
const OTHERS: [&str; 4] = ["Command::new(", "CommandBuilder::new", "cargo_bin", "fs::copy("];

/// Returns the places that start a process, write a program or name the built program on their own.
fn own_processes(source: &Source) -> Vec<String> {
    if source.path == PLACE {
        return Vec::new();
    }
    let name = concat!("CARGO_BIN_", "EXE");
    let code = source.code().lines().zip(source.raw.lines()).zip(1..);
    code.filter(|((code, raw), _)| {
        OTHERS.iter().any(|other| code.contains(other))
            || makes_executable(code)
            || raw.contains(name) && !raw.trim_start().starts_with("//")
    })
    .map(|((_, raw), line)| format!("{}:{line}: {}", source.path, raw.trim()))
    .collect()
}

/// Returns whether a line of code makes a file executable.
fn makes_executable(code: &str) -> bool {
    let modes = code.split("from_mode(0o").skip(1);
    modes.into_iter().any(|mode| {
        let digits = mode.chars().take_while(char::is_ascii_digit);
        digits.filter_map(|digit| digit.to_digit(8)).any(|digit| digit % 2 == 1)
    })
}

/// Returns the tests within the program, as sources of their own.
fn unit_tests(source: &Source) -> Source {
    let program = source.without_tests();
    // a file of tests has no lines of the program
    let kept = program.code().lines().chain(std::iter::repeat(""));
    let lines = source.raw.lines().zip(source.code().lines()).zip(kept);
    let tests: Vec<&str> =
        lines.map(|((raw, all), kept)| if all == kept { "" } else { raw }).collect();
    Source::new(&source.path, &tests.join("\n"))
}

#[test]
fn tests_start_processes_in_one_place() {
    let units: Vec<Source> = Source::ours(root()).iter().map(unit_tests).collect();
    let all = Source::tests(root());
    let faults = all.iter().chain(&units).flat_map(own_processes).collect();
    none(
        faults,
        "take `command`, `colloquium`, `terminal_command` or `write_program` of tests/program/mod.rs; copy a file that \
         no test runs by `write` and `read`",
    );
}

#[test]
fn the_scanner_of_processes_bites() {
    let check = |path: &str, code: &str, lines: &[usize]| {
        let found = own_processes(&Source::new(path, code));
        let places: Vec<String> = lines.iter().map(|line| format!("{path}:{line}: ")).collect();
        let starts = found.iter().zip(&places).all(|(found, place)| found.starts_with(place));
        assert!(found.len() == places.len() && starts, "{found:?}");
    };
    check("tests/a.rs", "std::process::Command::new(\"sh\");\nCommandBuilder::new(x);", &[1, 2]);
    let name = concat!("env!(\"CARGO_BIN_", "EXE_colloquium\")");
    check("tests/a.rs", &format!("\nprogram({name});\n// {name}"), &[2]);
    check("tests/a.rs", "Command::cargo_bin(\"colloquium\");\ncargo_bin_cmd!();", &[1, 2]);
    check(
        "tests/a.rs",
        "fs::copy(a, b);\nPermissions::from_mode(0o750)\nfrom_mode(0o600)",
        &[1, 2],
    );
    check("tests/a.rs", "program::command(\"sh\", home);\n\"Command::new(x)\";", &[]);
    check(PLACE, &format!("Command::new({name})"), &[]);
    let unit = "Command::new(a);\n#[cfg(test)]\nmod tests {\n  Command::new(b);\n}\n";
    let found = own_processes(&unit_tests(&Source::new("src/a.rs", unit)));
    assert_eq!(found, ["src/a.rs:4: Command::new(b);"]);
    let found = own_processes(&unit_tests(&Source::new("src/a/tests.rs", "\nCommand::new(b);")));
    assert_eq!(found, ["src/a/tests.rs:2: Command::new(b);"]);
}
