//! JUnit XML report, one suite per file. The five outcomes stay distinct: `failure` and `error` are elements, an
//! undecided test is a failure of that type, a cancelled one is skipped.

use super::details::details;
use crate::testing::outcome::TestOutcome;
use crate::testing::record::TestRecord;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// Returns the report as JUnit XML.
pub fn spell(records: &[TestRecord]) -> String {
    let mut report = Report::new("colloquium");
    let mut suite: Option<TestSuite> = None;
    for record in records {
        if suite.as_ref().is_none_or(|s| s.name.as_str() != record.file) {
            report.add_test_suites(suite.take());
        }
        suite
            .get_or_insert_with(|| TestSuite::new(record.file.as_str()))
            .add_test_case(case(record));
    }
    report.add_test_suites(suite);
    // serialising plain data cannot fail
    report.to_string().unwrap_or_default()
}

fn case(record: &TestRecord) -> TestCase {
    let words = || details(record).join("\n");
    let kind = |kind: NonSuccessKind| {
        let mut status = TestCaseStatus::non_success(kind);
        let first = record.broken.first().map(|b| b.expected.as_str());
        let message = record.error.as_deref().or(first).unwrap_or_else(|| record.outcome.as_str());
        status.set_type(record.outcome.as_str()).set_message(message).set_description(words());
        status
    };
    let status = match record.outcome {
        TestOutcome::Pass => TestCaseStatus::success(),
        TestOutcome::Fail | TestOutcome::Undecided => kind(NonSuccessKind::Failure),
        TestOutcome::Error => kind(NonSuccessKind::Error),
        TestOutcome::Cancelled => {
            let mut status = TestCaseStatus::skipped();
            status.set_message("cancelled");
            status
        }
    };
    let mut case = TestCase::new(record.id.as_str(), status);
    if !record.title.is_empty() {
        case.add_property(("title", record.title.as_str()));
    }
    case.set_classname(record.file.as_str()).set_time(Duration::from_millis(record.took_ms));
    case
}
