//! Cells of a grid: the product of the values of `--vary`.

/// Key of `--vary` for models, as for `--model`.
const MODEL: &str = "model";

/// A key with several values, each of which is run.
#[derive(Clone, Debug)]
pub struct Varied {
    /// Key of the scenario, or `model`.
    pub key: String,
    /// Values; in those of `model`, `+` separates the models of a panel.
    pub values: Vec<String>,
}

/// Parses a value of `--vary`.
///
/// # Errors
/// The expected form.
pub fn varied(text: &str) -> Result<Varied, &'static str> {
    let (key, values) = text.split_once('=').unwrap_or_default();
    let values: Vec<String> = values.split(',').map(|value| value.trim().to_owned()).collect();
    if key.trim().is_empty() || values.iter().any(String::is_empty) {
        return Err("expected KEY=V1,V2, as in phase.2.rounds=1,2");
    }
    Ok(Varied { key: key.trim().to_owned(), values })
}

/// One combination of values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GridCell {
    /// Overrides of scenario keys, as in `--set`.
    pub set: Vec<String>,
    /// Words for models, as in `--model`; `None` for those of the command line.
    pub model: Option<String>,
    /// Difference from other cells; empty for the only cell.
    pub label: String,
}

impl GridCell {
    /// Returns the combinations of values, the last key first; a single cell without keys.
    pub fn product(vary: &[Varied]) -> Vec<GridCell> {
        let mut cells = vec![GridCell::default()];
        for Varied { key, values } in vary {
            let with = |cell: &GridCell, value: &String| {
                let mut cell = cell.clone();
                let label = if key == MODEL {
                    cell.model = Some(value.replace('+', ","));
                    value.split('+').map(bare).collect::<Vec<_>>().join("+")
                } else {
                    cell.set.push(format!("{key}={value}"));
                    format!("{}={value}", key.rsplit('.').next().unwrap_or(key))
                };
                let gap = if cell.label.is_empty() { "" } else { "; " };
                cell.label = format!("{}{gap}{label}", cell.label);
                cell
            };
            let with = |cell| values.iter().map(move |value| with(cell, value));
            cells = cells.iter().flat_map(with).collect();
        }
        cells
    }

    /// Returns the name of an arm in this cell: `single [m2]` is `single [m2; rounds=3]`.
    pub fn name(&self, arm: &str) -> String {
        match (arm.strip_suffix(']'), self.label.as_str()) {
            (_, "") => arm.to_owned(),
            (Some(start), label) => format!("{start}; {label}]"),
            (None, label) => format!("{arm} [{label}]"),
        }
    }
}

/// Returns the name of a model without its provider.
fn bare(model: &str) -> &str {
    model.split_once(':').map_or(model, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_the_product_of_the_values() {
        let varied = |key: &str, values: &[&str]| Varied {
            key: key.into(),
            values: values.iter().map(ToString::to_string).collect(),
        };
        let cells = GridCell::product(&[
            varied("model", &["e:m", "e:m+e:m2"]),
            varied("phase.2.rounds", &["1", "3"]),
        ]);
        let labels: Vec<&str> = cells.iter().map(|cell| cell.label.as_str()).collect();
        assert_eq!(labels, ["m; rounds=1", "m; rounds=3", "m+m2; rounds=1", "m+m2; rounds=3"]);
        assert_eq!(cells[3].model.as_deref(), Some("e:m,e:m2"));
        assert_eq!(cells[3].set, ["phase.2.rounds=3"]);
        assert_eq!(cells[0].name("debate"), "debate [m; rounds=1]");
        assert_eq!(cells[0].name("single [x]"), "single [x; m; rounds=1]");
        assert_eq!(GridCell::product(&[])[0].name("single [x]"), "single [x]");
    }
}
