//! Cases: the variables of one, filled into texts, and a variable that a case does not have.

use crate::expr::{Facts, Template};
use regex::Regex;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// A variable of a case, in a template or a condition.
static VARIABLE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\bcase\.([A-Za-z_][A-Za-z0-9_]*)").expect("a fixed pattern"));

/// One row of `[[case]]`, or the only test of a file without any.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// Its name; none where the file has no cases.
    pub name: Option<String>,
    /// The row's keys, for templates.
    pub variables: Map<String, Value>,
}

impl Case {
    /// Returns a text with the case's variables in it.
    ///
    /// # Errors
    /// A sentence that names the variable that the case does not have, or what is wrong with the template.
    pub fn fill(&self, text: &str) -> Result<String, String> {
        if !(text.contains("{{") && text.contains("case")) {
            return Ok(text.to_owned());
        }
        self.has_all(text)?;
        let facts = Facts::new(json!({ "case": self.variables }));
        let filled = Template::compile(text).and_then(|template| template.render(&facts));
        filled.map_err(|fault| fault.message)
    }

    /// Returns a value with the case's variables in all its texts.
    ///
    /// # Errors
    /// As [`fill`](Case::fill).
    pub fn fill_value(&self, value: &Value) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => Value::String(self.fill(text)?),
            Value::Array(items) => {
                Value::Array(items.iter().map(|v| self.fill_value(v)).collect::<Result<_, _>>()?)
            }
            Value::Object(map) => {
                let filled = map.iter().map(|(k, v)| Ok((k.clone(), self.fill_value(v)?)));
                Value::Object(filled.collect::<Result<_, String>>()?)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        })
    }

    /// Returns whether the case has every variable that a text asks for.
    ///
    /// # Errors
    /// A sentence that names the first one it does not have.
    pub fn has_all(&self, text: &str) -> Result<(), String> {
        let mut asked = VARIABLE.captures_iter(text).filter_map(|found| found.get(1));
        let Some(missing) = asked.find(|name| !self.variables.contains_key(name.as_str())) else {
            return Ok(());
        };
        Err(match &self.name {
            Some(name) => format!("the case {name:?} has no `{}`", missing.as_str()),
            None => format!("there is no [[case]] that has `{}`", missing.as_str()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_fills_texts_and_knows_what_it_lacks() {
        let variables = json!({"n": 3, "who": "bo"}).as_object().unwrap().clone();
        let case = Case { name: Some("three".into()), variables };
        assert_eq!(case.fill("{{ case.who }} said {{ case.n }}").unwrap(), "bo said 3");
        assert_eq!(case.fill("{{ topic }}").unwrap(), "{{ topic }}");
        let filled = case.fill_value(&json!({"text": ["{{ case.n }}"], "n": 1})).unwrap();
        assert_eq!(filled, json!({"text": ["3"], "n": 1}));
        assert_eq!(case.fill("{{ case.m }}").unwrap_err(), r#"the case "three" has no `m`"#);
        assert!(Case::default().has_all("case.n > 2").unwrap_err().contains("[[case]]"));
    }
}
