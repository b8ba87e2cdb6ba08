//! Cells of a grid: the product of the values of `--model` and `--vary`.

use crate::batch::panel;

/// Key of `--vary` for models, as for `--model`.
const MODEL: &str = "model";

/// A key with several values, each of which is run.
#[derive(Clone, Debug)]
pub struct Varied {
    /// Key of the scenario, or `model`.
    pub key: String,
    /// Values; in those of `model`, commas separate the models of a panel.
    pub values: Vec<String>,
}

impl Varied {
    /// Returns whether the values are models.
    pub fn is_model(&self) -> bool {
        self.key == MODEL
    }
}

/// Parses a value of `--vary`.
///
/// # Errors
/// The expected form.
pub fn varied(text: &str) -> Result<Varied, &'static str> {
    let (key, values) = text.split_once('=').unwrap_or_default();
    let mut values: Vec<String> = values.split(',').map(|value| value.trim().to_owned()).collect();
    if key.trim() == MODEL {
        values.iter_mut().for_each(|value| *value = value.replace('+', ","));
    }
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
    /// Models of the two sides; empty without `--sides`.
    pub sides: Vec<String>,
    /// Difference from other cells; empty for the only cell.
    pub label: String,
}

impl GridCell {
    /// Returns the combinations of values, the last key first; a single cell without keys. A single model is not a key.
    /// The models of `sides` play each other in every combination, in both orders.
    pub fn product(models: &[String], vary: &[Varied], sides: &[String]) -> Vec<GridCell> {
        let mut cells = vec![GridCell::default()];
        let models = Varied { key: MODEL.to_owned(), values: models.to_vec() };
        let models = if models.values.len() > 1 { Some(&models) } else { None };
        for Varied { key, values } in models.into_iter().chain(vary) {
            let with = |cell: &GridCell, value: &String| {
                let mut cell = cell.clone();
                let label = if key == MODEL {
                    cell.model = Some(value.clone());
                    let is_same = |other: &&String| panel(other) == panel(value);
                    let same = values.iter().filter(is_same).count();
                    if same > 1 { value.clone() } else { panel(value) }
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
        if !sides.is_empty() {
            cells = cells.iter().flat_map(|cell| cell.games(sides)).collect();
        }
        cells
    }

    fn games(&self, sides: &[String]) -> Vec<GridCell> {
        let pairs = sides.iter().flat_map(|one| sides.iter().map(move |other| (one, other)));
        let game = |(one, other): (&String, &String)| {
            let gap = if self.label.is_empty() { "" } else { "; " };
            let label = format!("{}{gap}{} v {}", self.label, panel(one), panel(other));
            GridCell { sides: vec![one.clone(), other.clone()], label, ..self.clone() }
        };
        pairs.filter(|(one, other)| one != other).map(game).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::bracketed;

    #[test]
    fn cells_are_the_product_of_the_values() {
        let models = varied("model=e:m,e:m+e:m2").unwrap();
        let rounds = varied("phase.2.rounds=1,3").unwrap();
        let cells = GridCell::product(&[], &[models.clone(), rounds.clone()], &[]);
        let same = GridCell::product(&models.values, std::slice::from_ref(&rounds), &[]);
        assert_eq!(cells, same);
        let labels: Vec<&str> = cells.iter().map(|cell| cell.label.as_str()).collect();
        assert_eq!(labels, ["m; rounds=1", "m; rounds=3", "m+m2; rounds=1", "m+m2; rounds=3"]);
        assert_eq!(cells[3].model.as_deref(), Some("e:m,e:m2"));
        assert_eq!(cells[3].set, ["phase.2.rounds=3"]);
        assert_eq!(bracketed("debate", &cells[0].label), "debate [m; rounds=1]");
        assert_eq!(bracketed("single [x]", &cells[0].label), "single [x; m; rounds=1]");
        let alike = GridCell::product(&["e:m".into(), "f:m".into()], &[], &[]);
        assert_eq!((alike[0].label.as_str(), alike[1].label.as_str()), ("e:m", "f:m"));
        let one = GridCell::product(&["e:m".into()], &[], &[]);
        assert_eq!(bracketed("single [x]", &one[0].label), "single [x]");
        let three = ["e:a", "e:b", "e:c"].map(str::to_owned);
        let games = GridCell::product(&["j".into()], &[], &three);
        let labels: Vec<&str> = games.iter().map(|cell| cell.label.as_str()).collect();
        assert_eq!(labels, ["a v b", "a v c", "b v a", "b v c", "c v a", "c v b"]);
    }
}
