//! Facts: the values that conditions and templates read.

use minijinja::value::{Rest, Serde, merge_maps};
use minijinja::{Error, ErrorKind, Value};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A function for conditions: it gets the arguments and returns a value or an error message.
pub type Function =
    Arc<dyn Fn(&[serde_json::Value]) -> Result<serde_json::Value, String> + Send + Sync>;

/// Named values for conditions and templates; cheap to clone.
#[derive(Clone, Debug)]
pub struct Facts(Value);

impl Facts {
    /// Returns the fields of a struct, or the entries of a mapping, as facts.
    ///
    /// A value that cannot be serialized becomes a fault when it is used.
    pub fn new(facts: impl Serialize) -> Facts {
        Facts(Value::from(Serde(facts)))
    }

    /// Returns these facts merged with `others`; for names in both, these values take precedence.
    #[must_use]
    pub fn over(&self, others: &Facts) -> Facts {
        Facts(merge_maps([others.0.clone(), self.0.clone()]))
    }

    /// Returns these facts with an additional function.
    #[must_use]
    pub fn with_function(&self, name: &str, function: Function) -> Facts {
        let call = move |arguments: Rest<Value>| -> Result<Value, Error> {
            let wrong = |why: String| Error::new(ErrorKind::InvalidOperation, why);
            let arguments: Result<Vec<_>, _> = arguments.iter().map(serde_json::to_value).collect();
            let arguments = arguments.map_err(|e| wrong(e.to_string()))?;
            function(&arguments).map(|value| Value::from(Serde(value))).map_err(wrong)
        };
        let function = BTreeMap::from([(name.to_owned(), Value::from_function(call))]);
        Facts(merge_maps([Value::from(function), self.0.clone()]))
    }

    pub(super) fn value(&self) -> Value {
        self.0.clone()
    }

    /// Returns whether a mapping among the facts has a key.
    pub(super) fn has_key(&self, of: &str, key: &str) -> bool {
        let found = self.0.get_attr(of).and_then(|of| of.get_attr(key));
        found.is_ok_and(|value| !value.is_undefined())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.get_attr(name).is_ok_and(|value| !value.is_undefined())
    }
}
