//! Facts about models from the public list of models.dev, as rows of the bundled list.
//!
//! The list comes from a server, so sizes and ranges are checked, and only numbers, flags and plain names are taken.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Address of the public list.
pub const MODEL_LIST_URL: &str = "https://models.dev/api.json";
/// Names of providers there and here.
const PROVIDERS: &[(&str, &str)] = &[
    ("anthropic", "anthropic"),
    ("deepseek", "deepseek"),
    ("google", "gemini"),
    ("groq", "groq"),
    ("mistral", "mistral"),
    ("openai", "openai"),
    ("xai", "xai"),
];
/// Fewest models of a list that replaces earlier facts: a shorter one is cut, or another file.
const MODELS_MIN: usize = 20;
/// Most models of all providers.
const MODELS_MAX: usize = 5_000;
/// Largest price, in dollars per million tokens.
const PRICE_MAX: f64 = 10_000.0;
/// Smallest and largest context window, in tokens.
const WINDOWS: std::ops::RangeInclusive<u32> = 1_000..=100_000_000;

/// Reason why a list is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelUpdateError {
    /// Invalid JSON, or JSON of another form.
    #[error("it is not a list of models: {0}")]
    Form(String),
    /// It has too few or too many models.
    #[error("it has {0} usable models, and {MODELS_MIN} to {MODELS_MAX} are expected")]
    Count(usize),
    /// A value is out of range.
    #[error("{model}: {field} is out of range")]
    Range {
        /// Name of the model.
        model: String,
        /// Name of the field.
        field: &'static str,
    },
}

#[derive(Deserialize)]
struct Provider {
    models: BTreeMap<String, Model>,
}

#[derive(Deserialize)]
struct Model {
    cost: Option<Cost>,
    limit: Option<Limit>,
    temperature: Option<bool>,
    modalities: Option<Modalities>,
    status: Option<String>,
}

#[derive(Deserialize)]
struct Cost {
    input: f64,
    output: f64,
}

#[derive(Deserialize)]
struct Limit {
    context: u32,
}

#[derive(Deserialize)]
struct Modalities {
    output: Vec<String>,
}

/// Returns the rows for the models of the list that reply with text, as TOML.
///
/// # Errors
/// If the list has another form, too few models, or a value out of range.
pub fn model_rows(list: &str) -> Result<String, ModelUpdateError> {
    let all: BTreeMap<String, serde_json::Value> =
        serde_json::from_str(list).map_err(|e| ModelUpdateError::Form(e.to_string()))?;
    let mut rows = BTreeMap::new();
    for (theirs, ours) in PROVIDERS {
        let Some(provider) = all.get(*theirs) else { continue };
        let provider = Provider::deserialize(provider)
            .map_err(|e| ModelUpdateError::Form(format!("{theirs}: {e}")))?;
        for (name, model) in provider.models {
            let talks =
                model.modalities.as_ref().is_none_or(|m| m.output.iter().any(|o| o == "text"));
            if talks && model.status.as_deref() != Some("deprecated") && is_plain(&name) {
                let name = format!("{ours}:{name}");
                let row = row(&name, &model)?;
                rows.insert(name, row);
            }
        }
    }
    if !(MODELS_MIN..=MODELS_MAX).contains(&rows.len()) {
        return Err(ModelUpdateError::Count(rows.len()));
    }
    let mut toml = String::from("[models]\n");
    for (name, row) in rows {
        let _ = writeln!(toml, "\"{name}\" = {{ {row} }}");
    }
    Ok(toml)
}

/// Returns true for a name that needs no escapes.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:/@".contains(c))
}

fn row(name: &str, model: &Model) -> Result<String, ModelUpdateError> {
    let range = |field| ModelUpdateError::Range { model: name.to_owned(), field };
    let mut fields = vec![];
    // a cost of nothing at a paid provider means that it is unknown
    if let Some(Cost { input, output }) = model.cost
        && (input > 0.0 || output > 0.0)
    {
        if !(0.0..=PRICE_MAX).contains(&input) || !(0.0..=PRICE_MAX).contains(&output) {
            return Err(range("cost"));
        }
        fields.push(format!("price = [{input:?}, {output:?}]"));
    }
    if let Some(Limit { context }) = model.limit
        && context > 0
    {
        if !WINDOWS.contains(&context) {
            return Err(range("limit.context"));
        }
        fields.push(format!("window = {context}"));
    }
    fields.extend(model.temperature.map(|takes| format!("temperature = {takes}")));
    Ok(fields.join(", "))
}
