//! Models that can sit at the table, and their names in a narrow row.

/// Maximum number of models that are proposed.
const PROPOSED: usize = 3;

/// Access to a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelPlace {
    /// It runs on this computer or in this network.
    Here,
    /// A service, with a key.
    #[default]
    Key,
    /// An installed program, with the person's login.
    Program,
}

impl ModelPlace {
    /// Groups of the list, in order.
    pub(super) const GROUPS: [(ModelPlace, &str); 3] = [
        (ModelPlace::Here, "ON THIS COMPUTER"),
        (ModelPlace::Key, "WITH A KEY"),
        (ModelPlace::Program, "YOUR PROGRAMS"),
    ];
}

/// A model that can sit at the table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OfferedModel {
    /// Name by which it is called, as in `provider:name`.
    pub name: String,
    /// Shortest word that means the same here and now, for the settings.
    pub word: String,
    /// Name of its family, as in `claude`; empty if it belongs to none.
    pub family: String,
    /// Name of its seat, if the person named one.
    pub seat: Option<String>,
    /// Address of a provider that exists only in this run.
    pub endpoint: Option<String>,
    /// Access to it.
    pub place: ModelPlace,
    /// True if it may be proposed.
    pub is_usual: bool,
}

impl OfferedModel {
    /// Creates a model from its full name.
    pub fn from_name(name: &str) -> OfferedModel {
        OfferedModel { name: name.into(), word: name.into(), ..OfferedModel::default() }
    }

    /// Returns the model with the access to another one of its provider, if there is one.
    pub(super) fn beside(self, offers: &[OfferedModel]) -> OfferedModel {
        let provider = |model: &OfferedModel| Some(model.name.split_once(':')?.0.to_owned());
        let own = offers.iter().find(|other| provider(other) == provider(&self));
        let (place, endpoint) =
            own.map_or((self.place, None), |own| (own.place, own.endpoint.clone()));
        OfferedModel { place, endpoint, ..self }
    }

    /// Returns whether both are the same model.
    pub fn is(&self, other: &OfferedModel) -> bool {
        self.name == other.name && self.endpoint == other.endpoint
    }

    /// Returns the model as an option names it, with its seat.
    pub fn option(&self) -> String {
        self.seat.as_ref().map_or(self.name.clone(), |seat| format!("{seat}={}", self.name))
    }

    /// Returns the model as the settings name it, with its seat.
    pub fn setting(&self) -> String {
        OfferedModel { name: self.word.clone(), ..self.clone() }.option()
    }

    /// Returns whether the models of a table and this one can be called in one run, which knows one typed address.
    pub fn fits(&self, table: &[OfferedModel]) -> bool {
        let others = || table.iter().filter_map(|model| model.endpoint.as_ref());
        self.endpoint.as_ref().is_none_or(|own| others().all(|other| other == own))
    }
}

/// Returns the models of a table that nobody set up: one of each family, at most `PROPOSED`.
pub(super) fn proposed(offers: &[OfferedModel]) -> Vec<OfferedModel> {
    let mut table: Vec<OfferedModel> = vec![];
    for model in offers.iter().filter(|model| model.is_usual) {
        let same = |other: &OfferedModel| other.family == model.family;
        if table.len() < PROPOSED && !table.iter().any(same) && model.fits(&table) {
            table.push(model.clone());
        }
    }
    table
}

/// Returns a model's name without its provider and its maker.
pub fn bare(model: &str) -> &str {
    let name = model.split_once(':').map_or(model, |(_, name)| name);
    name.rsplit('/').next().unwrap_or(name)
}

/// Returns the shortest beginnings of names, at a mark between words, that distinguish them.
pub fn short(names: &[&str]) -> Vec<String> {
    let cuts = |name: &str| -> Vec<String> {
        let ends = name.match_indices(['-', ':', '.']).map(|(at, _)| at).filter(|at| *at > 0);
        ends.chain([name.len()]).map(|at| name[..at].to_owned()).collect()
    };
    let is_unique =
        |cut: &str, own: &str| names.iter().all(|name| *name == own || !name.starts_with(cut));
    let shortest = |name: &&str| cuts(name).into_iter().find(|cut| is_unique(cut, name));
    names.iter().map(|name| shortest(name).unwrap_or((*name).into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_while_they_differ() {
        for (names, shortened) in [
            (&["claude-sonnet-5", "gpt-5.5", "llama3:8b"][..], &["claude", "gpt", "llama3"][..]),
            (&["gpt-5.5", "gpt-5-mini"], &["gpt-5.5", "gpt-5-mini"]),
            (&["claude-a", "claude-b", "qwen"], &["claude-a", "claude-b", "qwen"]),
            (&["tiny", "tiny"], &["tiny", "tiny"]),
        ] {
            assert_eq!(short(names), shortened);
        }
    }

    #[test]
    fn three_families_are_proposed_and_one_typed_address() {
        let model = |name: &str, family: &str, endpoint: Option<&str>| OfferedModel {
            family: family.into(),
            endpoint: endpoint.map(str::to_owned),
            is_usual: true,
            ..OfferedModel::from_name(name)
        };
        let offers = [
            model("a:claude", "claude", None),
            model("b:claude", "claude", None),
            model("endpoint:x", "x", Some("http://one")),
            model("endpoint:y", "y", Some("http://two")),
            model("c:gpt", "gpt", None),
            model("d:more", "more", None),
        ];
        let names: Vec<String> = proposed(&offers).into_iter().map(|model| model.name).collect();
        assert_eq!(names, ["a:claude", "endpoint:x", "c:gpt"]);
    }
}
