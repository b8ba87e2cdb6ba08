//! Finds and loads test files.

use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::output;
use crate::policy;
use crate::scenario::{self, Source};
use crate::testing::{Test, TestFile, TestRecord, find, load};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum number of tests per run.
const TESTS_MAX: usize = 200_000;

/// Loaded tests, and the files that failed to load.
#[derive(Default)]
pub struct Tests {
    /// Tests of all valid files.
    pub tests: Vec<Arc<Test>>,
    /// One record per file that cannot be loaded.
    pub faulty: Vec<TestRecord>,
    /// Exit code of the first file that cannot be loaded.
    pub wrong: Option<Exit>,
}

/// Loads all test files. An invalid file is reported and the others are still loaded.
pub fn tests(paths: &[String], context: &Context) -> Result<Tests, Failure> {
    let files = find_all(paths)?;
    let mut all = Tests::default();
    for file in files {
        match read(&file) {
            Ok(loaded) => {
                context.report_warnings(&loaded.warnings);
                all.tests.extend(loaded.tests);
            }
            Err(failure) => {
                output::failure(&failure);
                all.wrong = all.wrong.or(Some(failure.code));
                let why = failure.unlabelled();
                all.faulty.push(TestRecord::of_faulty_file(&file.display().to_string(), why));
            }
        }
        if all.tests.len() > TESTS_MAX {
            let message = format!("there are more than {TESTS_MAX} tests");
            return Err(Failure::usage(message, "name fewer files"));
        }
    }
    Ok(all)
}

/// Finds the test files that match the paths.
pub fn find_all(paths: &[String]) -> Result<Vec<PathBuf>, Failure> {
    find(paths).map_err(|e| {
        Failure::usage(e.to_string(), "name test files, folders that contain test files, or a glob")
    })
}

/// Reads and loads a test file.
pub fn read(file: &Path) -> Result<TestFile, Failure> {
    let source: Source = scenario::read(file)?;
    let folder = file.parent().filter(|f| !f.as_os_str().is_empty());
    let folder = folder.map_or_else(|| PathBuf::from("."), Path::to_owned);
    Ok(load(&source, &folder, &policy::rows())?)
}
