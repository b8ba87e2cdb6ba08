//! Minds: the words by which a person names models, and their meaning here and now.
//!
//! A word is `PROVIDER:NAME`, the name of a model on a local server, a family such as `claude`, or a provider. The log
//! holds the model that was found, so that nothing is resolved a second time.

use crate::cli::error::{Exit, Failure};
use crate::cli::models::providers::{ENDPOINT, KeySource, Providers};
use crate::cli::models::survey::{LOCAL_TIME, list, some_of};
use crate::cli::runtime::block_on;
use crate::model::near::nearest;
use crate::model::{Participant, Text, VoiceSpec};
use crate::net::is_local;
use crate::settings::{Family, ModelList};
use crate::voice::program::{self, PROGRAMS};
use futures::future::join_all;
use std::collections::BTreeMap;
use std::str::FromStr;
use std::{convert::Infallible, fmt, thread};

/// Prefixes of models that no provider has.
pub(super) const OTHER_VOICES: [&str; 3] = [program::PROVIDER, "agent", "recording"];
/// Separator of minds in an option.
const SEPARATOR: char = ',';

/// A model as a person names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mind {
    /// Name or id of its seat, as in `Ada=claude`.
    pub seat: Option<String>,
    /// Word for the model.
    pub word: String,
}

impl FromStr for Mind {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Mind, Infallible> {
        let (seat, word) = match text.split_once('=') {
            Some((seat, word)) if !seat.trim().is_empty() => (Some(seat.trim().to_owned()), word),
            Some(_) | None => (None, text),
        };
        Ok(Mind { seat, word: word.trim().to_owned() })
    }
}

impl fmt::Display for Mind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.seat {
            Some(seat) => write!(f, "{seat}={}", self.word),
            None => f.write_str(&self.word),
        }
    }
}

impl Mind {
    /// Parses a list of minds, as in `claude,Ada=gpt`.
    pub fn list(text: &str) -> Vec<Mind> {
        let words = text.split(SEPARATOR).filter(|word| !word.trim().is_empty());
        words.map(|word| word.parse().unwrap_or_else(|never| match never {})).collect()
    }
}

/// A mind that was found, for a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seated {
    /// Name or id of its seat, if the person named one.
    pub seat: Option<String>,
    /// Display name of the model's family, or the name of the model.
    pub name: String,
    /// Company that makes the model, if known.
    pub maker: Option<String>,
    /// The model, as in the log.
    pub model: Text,
}

impl Seated {
    /// Creates a mind from a model that was found otherwise.
    pub fn from_model(model: &str) -> Seated {
        Seated { seat: None, name: model.into(), maker: None, model: model.into() }
    }

    /// Returns true if the person meant a participant, by its name or its id.
    pub fn is_for(&self, seat: &Participant) -> bool {
        let named = self.seat.as_ref().map(|name| name.to_lowercase());
        named.is_some_and(|name| name == seat.name.to_lowercase() || *name == *seat.id.0)
    }
}

/// Gives the seats without a model theirs: the one for its name, else the next one, and again from the first.
pub fn place(seats: &mut [Participant], seated: &[Seated]) {
    fn open<'a>(seats: &'a mut [Participant], found: &mut Vec<&'a mut Participant>) {
        for seat in seats {
            if seat.voice.as_model().is_some_and(|spec| spec.name.is_empty()) {
                found.push(seat);
            } else if let VoiceSpec::Team(team) = &mut seat.voice {
                open(&mut team.participants, found);
            }
        }
    }
    let mut found = vec![];
    open(seats, &mut found);
    let free: Vec<&Seated> =
        seated.iter().filter(|mind| !found.iter().any(|seat| mind.is_for(seat))).collect();
    let mut free = free.into_iter().cycle();
    for seat in found {
        let mind = seated.iter().find(|mind| mind.is_for(seat)).or_else(|| free.next());
        if let (VoiceSpec::Model(spec), Some(mind)) = (&mut seat.voice, mind) {
            spec.name = mind.model.clone();
        }
    }
}

/// One way to use the models of a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// The model, as in the log.
    pub model: String,
    /// The key, login or server that it needs.
    pub by: String,
}

/// Access to a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderAccess {
    /// Its key is available; source of the key.
    Key(String),
    /// Its key is missing; variable that is unset.
    Missing(String),
    /// It is on this machine, or it is the server of this run; its models.
    Near(Vec<Text>),
}

/// Everything that a word can mean here and now.
#[derive(Clone, Debug, Default)]
pub struct Usable {
    /// Families and default models.
    pub list: ModelList,
    /// Words of the settings.
    pub words: BTreeMap<String, String>,
    /// Providers, in order.
    pub providers: Vec<(String, ProviderAccess)>,
    /// Installed programs that speak with a login.
    pub programs: Vec<String>,
    /// True if the near servers were asked for their models.
    pub is_asked: bool,
}

impl Usable {
    /// Collects the usable models. Local servers are asked for theirs only if a word needs it.
    pub fn new(providers: &Providers, minds: &[Mind]) -> Usable {
        let mut usable = Usable::without_servers(providers);
        if minds.is_empty() || resolve(minds, &usable).is_err() {
            usable.look_near(providers);
        }
        usable
    }

    /// Collects the usable models without a request.
    pub fn without_servers(providers: &Providers) -> Usable {
        let access = |known: &crate::cli::models::providers::ResolvedProvider| {
            if is_local(&known.base_url) || known.name == ENDPOINT {
                return ProviderAccess::Near(vec![]);
            }
            match (providers.has_key(known), &known.key) {
                (Ok(()), KeySource::Variable(name)) => ProviderAccess::Key(name.clone()),
                (Ok(()), source) => ProviderAccess::Key(source.to_string()),
                (Err(_), _) => ProviderAccess::Missing(providers.unset(known).unwrap_or_default()),
            }
        };
        let all = providers.all().iter();
        let installed = PROGRAMS.iter().filter(|p| providers.environment.program(p.name).is_some());
        Usable {
            list: ModelList::bundled().clone(),
            words: providers.settings.words.clone(),
            providers: all.map(|known| (known.name.clone(), access(known))).collect(),
            programs: installed.map(|program| program.name.to_owned()).collect(),
            is_asked: false,
        }
    }

    /// Asks the near servers for their models. The caller may be inside a runtime.
    fn look_near(&mut self, providers: &Providers) {
        let near = providers.all().iter().zip(&self.providers);
        let near = near.filter(|(known, (_, access))| {
            matches!(access, ProviderAccess::Near(_)) && providers.may_ask(&known.name)
        });
        let places: Vec<_> = near
            .map(|(known, _)| (known.name.clone(), providers.endpoint_at_hand(known)))
            .collect();
        let asked = async move {
            Ok(join_all(places.into_iter().map(async |(name, endpoint)| {
                (name, list(endpoint, LOCAL_TIME).await.unwrap_or_default())
            }))
            .await)
        };
        let found = thread::scope(|scope| scope.spawn(|| block_on(asked)).join());
        self.is_asked = true;
        for (name, models) in found.into_iter().flatten().flatten() {
            if let Some((_, access)) = self.providers.iter_mut().find(|(known, _)| *known == name) {
                *access = ProviderAccess::Near(models);
            }
        }
    }

    fn key(&self, model: &str) -> Option<Way> {
        let provider = model.split_once(':')?.0;
        let (_, access) = self.providers.iter().find(|(name, _)| name == provider)?;
        let ProviderAccess::Key(by) = access else { return None };
        Some(Way { model: model.to_owned(), by: by.clone() })
    }

    fn near(&self) -> impl Iterator<Item = (&String, &Text)> {
        self.providers.iter().flat_map(|(name, access)| {
            let models = if let ProviderAccess::Near(models) = access { &models[..] } else { &[] };
            models.iter().map(move |model| (name, model))
        })
    }

    /// Returns the ways to use a family: key, program, router, near servers.
    pub fn ways(&self, word: &str, family: &Family) -> Vec<Way> {
        let own = family.model.iter().filter_map(|model| self.key(model));
        let program = family.program.iter().filter(|name| self.programs.contains(name));
        let program = program.map(|name| Way {
            model: format!("{}{name}", program::PREFIX),
            by: format!("{}, your login", program::label(name)),
        });
        let routed = family.openrouter.iter().filter_map(|model| self.key(model));
        let near = self.near().filter(|(_, model)| model.to_lowercase().contains(word));
        let near = near.take(1).map(|(provider, model)| Way {
            model: format!("{provider}:{model}"),
            by: "this computer".into(),
        });
        own.chain(program).chain(routed).chain(near).collect()
    }

    /// Returns the usable families with their ways, in the order of the list.
    pub fn families(&self) -> Vec<(&str, &Family, Vec<Way>)> {
        let families = self.list.families.iter();
        let ways = families.map(|(word, family)| (&**word, family, self.ways(word, family)));
        ways.filter(|(_, _, ways)| !ways.is_empty()).collect()
    }

    /// Returns the model that a word means, in any case of its letters.
    fn find(&self, word: &str) -> Option<String> {
        self.spelled(word).or_else(|| self.spelled(&word.to_lowercase()))
    }

    fn spelled(&self, word: &str) -> Option<String> {
        if let Some(model) = self.words.get(word) {
            return Some(model.clone());
        }
        if let Some(family) = self.list.families.get(word)
            && let Some(way) = self.ways(word, family).into_iter().next()
        {
            return Some(way.model);
        }
        if let Some((provider, model)) = self.near().find(|(_, model)| ***model == *word) {
            return Some(format!("{provider}:{model}"));
        }
        if self.programs.iter().any(|name| name == word) {
            return Some(format!("{}{word}", program::PREFIX));
        }
        if let Some((_, access)) = self.providers.iter().find(|(name, _)| name == word) {
            let of_provider = |model: &&String| model.starts_with(&format!("{word}:"));
            let own = self.list.families.values().filter_map(|family| family.model.as_ref());
            let listed = self.list.defaults.values().chain(own).find(of_provider).cloned();
            return match access {
                ProviderAccess::Key(_) => listed,
                ProviderAccess::Near(models) => {
                    models.first().map(|model| format!("{word}:{model}"))
                }
                ProviderAccess::Missing(_) => None,
            };
        }
        let known = |name: &str| {
            OTHER_VOICES.contains(&name) || self.providers.iter().any(|(known, _)| known == name)
        };
        let parts = word.split_once(':').filter(|(_, name)| !name.is_empty());
        // an unknown provider is reported by its lookup, which names the known ones
        parts.filter(|(name, _)| known(name) || self.is_asked).map(|_| word.into())
    }

    /// Returns the family of a model, by the names in the model's name.
    pub fn family_of(&self, model: &str) -> Option<&Family> {
        let name = model.split_once(':').map_or(model, |(_, name)| name).to_lowercase();
        let families = &self.list.families;
        let program = families.values().find(|family| family.program.as_deref() == Some(&name));
        let named = families.iter().find(|(word, _)| name.contains(&***word));
        program.or(named.map(|(_, family)| family))
    }

    fn seated(&self, mind: &Mind, model: String) -> Seated {
        let family = self.family_of(&model);
        let bare = model.split_once(':').map_or(&*model, |(_, name)| name);
        let bare = bare.rsplit('/').next().unwrap_or(bare);
        Seated {
            seat: mind.seat.clone(),
            name: family.map_or(bare.to_owned(), |family| family.name.clone()),
            maker: family.map(|family| family.maker.clone()),
            model: model.into(),
        }
    }
}

/// Returns the failure for a word without a model, with the words that can be used.
fn no_model(word: &str, usable: &Usable) -> Failure {
    let families = usable.families();
    let words = families.iter().map(|(word, ..)| *word);
    let words: Vec<&str> = words.chain(usable.words.keys().map(String::as_str)).collect();
    let unusable = usable.list.families.keys().map(String::as_str);
    let providers = usable.providers.iter().map(|(name, _)| &**name);
    let models = usable.near().map(|(_, model)| &**model);
    // a usable word before another one at the same distance
    let programs = PROGRAMS.iter().map(|program| program.name);
    let known =
        words.iter().copied().chain(models).chain(unusable).chain(providers).chain(programs);
    let tail = match nearest(word, known) {
        Some(near) if near == word => {
            usable.cure(near).map_or(";".into(), |cure| format!(": {cure};"))
        }
        Some(near) => {
            let meaning = usable.find(near).or_else(|| usable.cure(near));
            let meaning = meaning.map(|meaning| format!(" ({meaning})"));
            format!(": did you mean {near}{}?", meaning.unwrap_or_default())
        }
        None => ";".into(),
    };
    let near = usable.providers.iter().filter_map(|(name, access)| match access {
        ProviderAccess::Near(models) if !models.is_empty() => {
            Some(some_of(name, &models.iter().collect::<Vec<_>>()))
        }
        _ => None,
    });
    let usable: Vec<String> = words.iter().map(|word| (*word).to_owned()).chain(near).collect();
    let usable = if usable.is_empty() { "nothing".into() } else { usable.join(", ") };
    Failure::new(Exit::NoModel, format!("no model \"{word}\"{tail} usable now: {usable}"))
        .about(word)
        .hint("`colloquium models` lists the words and all models; PROVIDER:NAME names any of them")
}

impl Usable {
    /// Returns the steps that make a family, a provider or a program usable; `None` for any other word.
    fn cure(&self, word: &str) -> Option<String> {
        let is_at = |family: &&Family| {
            family.model.as_ref().is_some_and(|model| model.starts_with(&format!("{word}:")))
        };
        let families = &self.list.families;
        let family = families.get(word).or_else(|| families.values().find(is_at));
        let model = family.map(|family| family.model.as_deref().unwrap_or("openrouter:"));
        let provider = model.and_then(|model| model.split(':').next()).unwrap_or(word);
        let Some((_, access)) = self.providers.iter().find(|(name, _)| name == provider) else {
            return program::find(word).map(|program| program::install(program.name));
        };
        let key = match access {
            ProviderAccess::Missing(variable) if !variable.is_empty() => {
                Some(format!("set {variable}"))
            }
            _ => None,
        };
        let program = family.and_then(|family| family.program.as_deref()).map(program::install);
        let cures: Vec<String> = key.into_iter().chain(program).collect();
        Some(if cures.is_empty() {
            "no key and no server has it".into()
        } else {
            cures.join(", or ")
        })
    }
}

/// Returns the models that minds mean, in order.
///
/// # Errors
/// The first word without a model, or a participant with two models.
pub fn resolve(minds: &[Mind], usable: &Usable) -> Result<Vec<Seated>, Failure> {
    let seat = |mind: &Mind| mind.seat.as_ref().map(|name| name.to_lowercase());
    for (at, mind) in minds.iter().enumerate() {
        let mut others = minds.iter().take(at);
        if let Some(other) = others.find(|other| seat(other).is_some() && seat(other) == seat(mind))
        {
            return Err(Failure::usage(
                format!("two models for one participant: {other} and {mind}"),
                "give each participant a name of its own",
            ));
        }
    }
    let found = |mind: &Mind| match usable.find(&mind.word) {
        Some(model) => Ok(usable.seated(mind, model)),
        None => Err(no_model(&mind.word, usable)),
    };
    minds.iter().map(found).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#"
        [families]
        ant = { name = "Ant", maker = "Acme", released = "2026-01-01", model = "acme:ant-2", program = "claude", openrouter = "router:acme/ant-2" }
        bee = { name = "Bee", maker = "Buzz", released = "2026-01-01", openrouter = "router:buzz/bee-1" }
        [defaults]
        router = "router:any"
    "#;

    /// Returns what is usable with a key of the maker, the program, a key of the router, and a local server.
    fn usable(key: bool, program: bool, router: bool, near: bool) -> Usable {
        let access = |has: bool, name: &str| {
            if has {
                ProviderAccess::Key(name.to_owned())
            } else {
                ProviderAccess::Missing(name.to_owned())
            }
        };
        let models = ["Ant-mini:8b".into(), "bee:1b".into()];
        Usable {
            list: ModelList::parse(LIST).unwrap(),
            words: BTreeMap::from([("mine".to_owned(), "acme:own".to_owned())]),
            providers: vec![
                ("acme".to_owned(), access(key, "ACME_KEY")),
                ("router".to_owned(), access(router, "ROUTER_KEY")),
                (
                    "ollama".to_owned(),
                    ProviderAccess::Near(if near { models.to_vec() } else { vec![] }),
                ),
            ],
            programs: if program { vec!["claude".to_owned()] } else { vec![] },
            is_asked: true,
        }
    }

    fn model(word: &str, usable: &Usable) -> Result<String, String> {
        let found = resolve(&Mind::list(word), usable).map_err(|no| no.message)?;
        Ok(found
            .iter()
            .map(|seated| format!("{}={}", seated.name, seated.model))
            .collect::<Vec<_>>()
            .join(","))
    }

    #[test]
    fn a_family_is_its_first_usable_way_in_every_home() {
        for home in 0..16 {
            let has = |bit: u32| home & (1 << bit) != 0;
            let usable = usable(has(3), has(2), has(1), has(0));
            let ant = match home {
                8.. => Ok("Ant=acme:ant-2".to_owned()),
                4.. => Ok("Ant=program:claude".to_owned()),
                2.. => Ok("Ant=router:acme/ant-2".to_owned()),
                1 => Ok("Ant=ollama:Ant-mini:8b".to_owned()),
                _ => Err("no model \"ant\": set ACME_KEY, or npm i -g @anthropic-ai/claude-code; usable now: mine".to_owned()),
            };
            assert_eq!(model("ant", &usable), ant, "home {home:04b}");
            let bee = match (has(1), has(0)) {
                (true, _) => Some("Bee=router:buzz/bee-1"),
                (false, true) => Some("Bee=ollama:bee:1b"),
                (false, false) => None,
            };
            assert_eq!(model("bee", &usable).ok().as_deref(), bee, "home {home:04b}");
        }
    }

    #[test]
    fn every_spelling_has_one_meaning() {
        let all = usable(true, true, true, true);
        for (word, found) in [
            ("ant,Ada=bee", "Ant=acme:ant-2,Bee=router:buzz/bee-1"),
            ("acme:old", "old=acme:old"),
            ("acme", "Ant=acme:ant-2"),
            ("router", "any=router:any"),
            ("ollama", "Ant=ollama:Ant-mini:8b"),
            ("bee:1b", "Bee=ollama:bee:1b"),
            ("mine", "own=acme:own"),
            ("program:claude/ant-1", "Ant=program:claude/ant-1"),
            ("claude", "Ant=program:claude"),
            ("ANT,Ada=Claude", "Ant=acme:ant-2,Ant=program:claude"),
            ("", ""),
        ] {
            assert_eq!(model(word, &all).as_deref(), Ok(found), "{word}");
        }
        let near = model("beee", &all).unwrap_err();
        assert_eq!(
            near,
            "no model \"beee\": did you mean bee (router:buzz/bee-1)? usable now: ant, bee, mine, ollama:Ant-mini:8b, ollama:bee:1b"
        );
        let poor = usable(false, false, false, false);
        let near = model("antt", &poor).unwrap_err();
        assert_eq!(
            near,
            "no model \"antt\": did you mean ant (set ACME_KEY, or npm i -g @anthropic-ai/claude-code)? \
             usable now: mine"
        );
        let program = model("codex", &all).unwrap_err();
        assert_eq!(
            program,
            "no model \"codex\": npm i -g @openai/codex; usable now: ant, bee, mine, ollama:Ant-mini:8b, ollama:bee:1b"
        );
        let near = model("bea:1b", &all);
        assert_eq!(near.as_deref(), Ok("1b=bea:1b"), "its lookup reports the provider");
        let none = model("nobody", &all).unwrap_err();
        assert_eq!(
            none,
            "no model \"nobody\"; usable now: ant, bee, mine, ollama:Ant-mini:8b, ollama:bee:1b"
        );
    }
}
