//! What conditions and templates speak about.

use minijinja::Value;
use minijinja::value::{Serde, merge_maps};
use serde::Serialize;

/// Named values for conditions and templates; cheap to clone.
#[derive(Clone, Debug)]
pub struct Facts(Value);

impl Facts {
    /// Takes the fields of a struct, or the entries of a mapping, as facts.
    ///
    /// A value that cannot be serialized becomes a fault where it is used.
    pub fn new(facts: impl Serialize) -> Facts {
        Facts(Value::from(Serde(facts)))
    }

    /// Returns these facts over `others`: where both have a name, this one's value counts.
    #[must_use]
    pub fn over(&self, others: &Facts) -> Facts {
        Facts(merge_maps([others.0.clone(), self.0.clone()]))
    }

    pub(super) fn value(&self) -> Value {
        self.0.clone()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.get_attr(name).is_ok_and(|value| !value.is_undefined())
    }
}
