//! The binary: hands everything to `cli`.

fn main() -> std::process::ExitCode {
    colloquium::cli::main()
}
