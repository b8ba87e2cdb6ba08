//! Conditions and templates in scenarios and tests: one engine for both, behind a guard.
//!
//! A condition is an expression such as `context.get('needs_clarification', False)`; a template is text with
//! `{{ topic }}` in it. Both may come from an attacker, and the engine's own fuel is not a sandbox: a format string
//! took 1.9 GB, and a chain of `not` crashed the process. So `guard` limits their shape before they are parsed, and
//! `engine` offers only a short list of methods and filters.
//!
//! Names are strict and keys are not: a misspelt `contxt` is a fault, while a key that a mapping does not have (yet) is
//! false, equal to nothing and empty in a template. This module deliberately knows nothing of conversations: the caller
//! provides the facts.
#![deny(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![warn(missing_docs)]

mod choices;
mod compare;
mod engine;
mod error;
mod facts;
mod guard;
mod macros;
mod parts;
mod products;
mod tokens;
mod vocabulary;

pub use choices::{AnswerChoice, CHOICES_MAX, choice_letter, choices};
pub use compare::Comparison;
pub use engine::{FILTERS, METHODS, TESTS};
pub use error::{EXPRESSION_LIMIT, ExprError, OUTPUT_LIMIT, TEMPLATE_LIMIT};
pub use facts::{Facts, Function};
pub use macros::{blank_macros, card_text, translate_macros, unknown_macros};
pub use parts::{parts, unset_keys};
pub use vocabulary::{Attribute, attributes};

use compare::CheckedSource;
use minijinja::UndefinedBehavior;
use minijinja::value::ValueKind;
use std::collections::HashSet;
use std::ops::Range;
use std::slice::from_ref;
use std::sync::Arc;

/// Returns the keys of a mapping that an expression uses by name, each with its byte offset.
pub fn keys<'s>(source: &'s str, of: &str) -> Vec<(&'s str, usize)> {
    vocabulary::keys(source, of)
}

/// A compiled condition; cheap to clone and to evaluate often.
#[derive(Clone, Debug)]
pub struct Condition {
    expression: Arc<minijinja::Expression<'static, 'static>>,
    names: Vec<Name>,
    sums: usize,
    checked: Arc<CheckedSource>,
}

impl Condition {
    /// Compiles a condition.
    ///
    /// # Errors
    /// If it is too long or too deep, uses `~`, uses `*` with an unclear operand, names an unknown filter, test or
    /// method, or is not an expression.
    pub fn compile(source: &str) -> Result<Condition, ExprError> {
        guard::expression(source, 0)?;
        let body = 0..source.len();
        vocabulary::check(source, from_ref(&body))?;
        let checked = CheckedSource::new(source, from_ref(&body));
        let expression = engine::CONDITIONS
            .compile_expression_owned(checked.text.clone())
            .map_err(|e| engine::fault(e, &checked))?;
        let names = Name::all(source, from_ref(&body), expression.undeclared_variables(false));
        let sums = guard::sums(source);
        let checked = Arc::new(checked);
        Ok(Condition { expression: Arc::new(expression), names, sums, checked })
    }

    /// Returns the comparisons of the condition with `<`, `<=`, `>` or `>=`.
    pub fn comparisons(&self) -> &[Comparison] {
        &self.checked.comparisons
    }

    /// Returns the names that the condition uses, each with the byte offset of its first use.
    pub fn names(&self) -> impl Iterator<Item = (&str, usize)> {
        self.names.iter().map(|n| (n.name.as_str(), n.column))
    }

    /// Returns true if the condition uses a fact of this name.
    pub fn uses(&self, name: &str) -> bool {
        self.names.iter().any(|n| n.name == name)
    }

    /// Returns true if the result of the condition is true, not zero, or not empty.
    ///
    /// # Errors
    /// If it uses a name that is not among the facts, is undefined (a missing key, an `if` without an `else`), or
    /// performs an operation that its values do not allow.
    pub fn holds(&self, facts: &Facts) -> Result<bool, ExprError> {
        Ok(self.defined(facts)?.is_true())
    }

    /// Returns the result of the condition of a test, which is true or false. A mapping is true, and `none` is false.
    ///
    /// # Errors
    /// As [`holds`](Condition::holds), and if the result is a text, a number or a list: it would nearly always pass.
    pub fn decides(&self, facts: &Facts) -> Result<bool, ExprError> {
        let result = self.defined(facts)?;
        let message = match result.kind() {
            ValueKind::String => {
                "a text is not true or false; compare it, as in X == 'yes' or 'yes' in X"
            }
            ValueKind::Number => "a number is not true or false; compare it, as in X > 0",
            ValueKind::Seq | ValueKind::Iterable => {
                "a list is not true or false; compare its length, as in count(X) > 0"
            }
            _ => return Ok(result.is_true()),
        };
        Err(ExprError::new(message, 0))
    }

    fn defined(&self, facts: &Facts) -> Result<minijinja::Value, ExprError> {
        let result = self.evaluated(facts)?;
        if result.is_undefined() {
            let message = "undefined value; use .get('key', False) for a key that may be missing";
            return Err(ExprError::new(message, 0));
        }
        Ok(result)
    }

    fn evaluated(&self, facts: &Facts) -> Result<minijinja::Value, ExprError> {
        Name::check(&self.names, facts)?;
        engine::fits(self.sums, self.names().map(|(name, _)| name), facts)?;
        self.expression.eval(facts.value()).map_err(|e| engine::fault(e, &self.checked))
    }

    /// Returns the value of the expression, for display; null if it is undefined.
    ///
    /// # Errors
    /// As [`holds`](Condition::holds), except for undefined values.
    pub fn value(&self, facts: &Facts) -> Result<serde_json::Value, ExprError> {
        let result = self.evaluated(facts)?;
        serde_json::to_value(&result).map_err(|e| ExprError::new(e.to_string(), 0))
    }
}

/// A compiled template; cheap to clone and to render often.
#[derive(Clone, Debug)]
pub struct Template {
    engine: Arc<minijinja::Environment<'static>>,
    names: Vec<Name>,
    sums: usize,
    checked: Arc<CheckedSource>,
}

impl Template {
    /// Compiles a template: text with `{{ expression }}`, `{% if %}`, `{% for %}` and `{# comments #}`. One newline at
    /// the very end is dropped, because multi-line strings in TOML have it.
    ///
    /// # Errors
    /// If the template or one of its tags is too long or too deep, if a tag is unknown, or if an expression has a fault
    /// as in a condition.
    pub fn compile(source: &str) -> Result<Template, ExprError> {
        let bodies = guard::template(source)?;
        vocabulary::check(source, &bodies)?;
        let checked = CheckedSource::new(source, &guard::insides(source, &bodies));
        let fault = |e| engine::fault(e, &checked);
        let mut engine = engine::TEMPLATES.clone();
        engine.add_template_owned(engine::TEMPLATE_NAME, checked.text.clone()).map_err(fault)?;
        let template = engine.get_template(engine::TEMPLATE_NAME).map_err(fault)?;
        let names = Name::all(source, &bodies, template.undeclared_variables(false));
        let sums = bodies.iter().map(|b| guard::sums(&source[b.clone()])).max().unwrap_or(0);
        let engine = Arc::new(engine);
        let checked = Arc::new(checked);
        Ok(Template { engine, names, sums, checked })
    }

    /// Returns the template for data that must be complete: an undefined value is an error, except as a condition of
    /// `if` and for `default`, `is defined` and `.get`.
    #[must_use]
    pub fn strict(mut self) -> Template {
        Arc::make_mut(&mut self.engine).set_undefined_behavior(UndefinedBehavior::SemiStrict);
        self
    }

    /// Returns the names that the template uses, each with the byte offset of its first use.
    pub fn names(&self) -> impl Iterator<Item = (&str, usize)> {
        self.names.iter().map(|n| (n.name.as_str(), n.column))
    }

    /// Renders the template with facts, to at most [`OUTPUT_LIMIT`] bytes.
    ///
    /// # Errors
    /// If it uses a name that is not among the facts, gets too long, or performs an operation that its values do not
    /// allow.
    pub fn render(&self, facts: &Facts) -> Result<String, ExprError> {
        Name::check(&self.names, facts)?;
        engine::fits(self.sums, self.names().map(|(name, _)| name), facts)?;
        let fault = |e| engine::fault(e, &self.checked);
        let template = self.engine.get_template(engine::TEMPLATE_NAME).map_err(fault)?;
        let mut out = engine::Bounded::default();
        let rendered = template.render_captured_to(facts.value(), &mut out);
        if out.is_full() {
            let message = format!("the result is longer than {OUTPUT_LIMIT} bytes");
            return Err(ExprError::new(message, 0));
        }
        rendered.map_err(fault)?;
        Ok(out.into_text())
    }
}

/// A required name, with the byte offset of its first use.
#[derive(Clone, Debug)]
struct Name {
    name: String,
    column: usize,
}

impl Name {
    fn all(source: &str, bodies: &[Range<usize>], names: HashSet<String>) -> Vec<Name> {
        // the engine omits names inside of sliced values
        let written = vocabulary::names(source, bodies).into_iter().map(str::to_owned);
        let names: HashSet<String> = names.into_iter().chain(written).collect();
        let mut all: Vec<Name> = names
            .into_iter()
            .filter(|name| !engine::FUNCTIONS.contains(&name.as_str()))
            .map(|name| Name {
                column: guard::find_word(source, bodies, &name).unwrap_or_default(),
                name,
            })
            .collect();
        all.sort_by_key(|name| name.column);
        all
    }

    fn check(names: &[Name], facts: &Facts) -> Result<(), ExprError> {
        match names.iter().find(|n| !facts.has(&n.name)) {
            Some(Name { name, column }) => {
                let message = format!("unknown name `{name}`");
                Err(ExprError::new(message, *column))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
