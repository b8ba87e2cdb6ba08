//! Cases: their variables, and the templates that use them.

use super::super::fault::TestFault;
use crate::expr::{Facts, Template};
use crate::scenario::{At, Node, Walk, quote};
use crate::testing::keys::CASES_MAX;
use crate::text::map_strings;
use regex::Regex;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// Maximum bytes that all cases of a file may repeat in total.
const REPEATED_MAX_BYTES: usize = 64 << 20;
/// A variable of a case, in a template or a condition.
static VARIABLE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\bcase\.([A-Za-z_][A-Za-z0-9_]*)").expect("a fixed pattern"));

/// One row of `[[case]]`, or the only test of a file without cases.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// Name of the case; `None` if the file has no cases.
    pub name: Option<String>,
    /// Keys of the row, for templates.
    pub variables: Map<String, Value>,
}

impl Case {
    /// Fills the case's variables into a text.
    ///
    /// # Errors
    /// A sentence with the variable that the case lacks, or with the fault of the template.
    pub fn fill(&self, text: &str) -> Result<String, TestFault> {
        if !(text.contains("{{") && text.contains("case")) {
            return Ok(text.to_owned());
        }
        self.has_all(text)?;
        let facts = Facts::new(json!({ "case": self.variables }));
        let filled = Template::compile(text).and_then(|template| template.render(&facts));
        filled.map_err(|fault| fault.message.into())
    }

    /// Fills the case's variables into all texts of a value.
    pub fn fill_value(&self, value: &Value) -> Result<Value, TestFault> {
        map_strings(value, &str::to_owned, &|text| self.fill(text))
    }

    /// Checks that the case has every variable that a text uses.
    ///
    /// # Errors
    /// A sentence with the first missing variable.
    pub fn has_all(&self, text: &str) -> Result<(), TestFault> {
        let mut asked = VARIABLE.captures_iter(text).filter_map(|found| found.get(1));
        let Some(missing) = asked.find(|name| !self.variables.contains_key(name.as_str())) else {
            return Ok(());
        };
        let why = match &self.name {
            Some(name) => format!("the case {name:?} has no `{}`", missing.as_str()),
            None => format!("there is no [[case]] that has `{}`", missing.as_str()),
        };
        Err(why.into())
    }
}

/// Returns the rows of `[[case]]`; a single unnamed case if there are none.
pub fn all(walk: &mut Walk<'_>, root: &At<'_>) -> Vec<Case> {
    let Some(list) = root.get("case") else { return vec![Case::default()] };
    let count = list.node.items().len();
    if count > CASES_MAX {
        walk.fault(&list, format!("has {count} cases, more than {CASES_MAX}"), "split the file");
        return vec![];
    }
    let mut cases: Vec<Case> = vec![];
    for (i, at) in list.items().enumerate() {
        let Value::Object(variables) = at.node.to_json() else {
            walk.fault(&at, "is not a table", "as in [[case]] with name = \"short\"");
            continue;
        };
        let name = match at.get("name") {
            Some(name) if name.node.text().is_none() => {
                walk.fault(&name, "takes text", r#"as in name = "short""#);
                continue;
            }
            Some(name) => name.text().to_owned(),
            None => (i + 1).to_string(),
        };
        if cases.iter().any(|c| c.name.as_ref() == Some(&name)) {
            let message = format!("another case is already called {}", quote(&name));
            walk.fault(&at, message, "give every case a different name");
        }
        cases.push(Case { name: Some(name), variables });
    }
    cases
}

/// Rejects a file if its cases together would not fit in memory; returns true if it was rejected.
pub fn too_much(walk: &mut Walk<'_>, root: &At<'_>, scenario_bytes: usize, cases: usize) -> bool {
    let bytes = |node: &Node| node.to_json().to_string().len();
    let part = |key: &str| root.node.get(key).map_or(0, bytes);
    let own = bytes(root.node).saturating_sub(part("case"));
    let each = if differ(root) {
        own + scenario_bytes
    } else {
        own.saturating_sub(part("scenario") + part("voice") + part("tool"))
    };
    if each.saturating_mul(cases) <= REPEATED_MAX_BYTES {
        return false;
    }
    let message =
        format!("{cases} cases repeat {each} bytes each, more than {REPEATED_MAX_BYTES} together");
    walk.fault(&root.place("case"), message, "split the file");
    true
}

/// Returns true if the conversation itself differs between cases.
pub fn differ(root: &At<'_>) -> bool {
    root.get("case").is_some() && (root.get("set").is_some() || root.get("topic").is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_fills_templates_and_reports_missing_variables() {
        let variables = json!({"n": 3, "who": "bo"}).as_object().unwrap().clone();
        let case = Case { name: Some("three".into()), variables };
        assert_eq!(case.fill("{{ case.who }} said {{ case.n }}").unwrap(), "bo said 3");
        assert_eq!(case.fill("{{ topic }}").unwrap(), "{{ topic }}");
        let filled = case.fill_value(&json!({"text": ["{{ case.n }}"], "n": 1})).unwrap();
        assert_eq!(filled, json!({"text": ["3"], "n": 1}));
        let missing = case.fill("{{ case.m }}").unwrap_err();
        assert_eq!(missing, r#"the case "three" has no `m`"#.into());
        let missing = Case::default().has_all("case.n > 2").unwrap_err();
        assert!(missing.to_string().contains("[[case]]"));
    }
}
