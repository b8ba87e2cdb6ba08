//! The conversation as all clients see it: events once they are in the file, with pieces in between; and the names of
//! clients in the log: short, distinguishable from each other, from participants and from the program.

use super::protocol::{Bye, Doing, Hello, May, PROTOCOL};
use crate::engine::{Attendance, Input, Owner};
use crate::session::{Durable, FORMAT, Feed, Item, SessionFiles, Tail};
use crate::state::leave::asks_leave;
use crate::state::{RunState, State};
use crate::text;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use tokio::sync::{mpsc, watch};

/// The conversation and its clients, shared by all connections.
pub(super) struct Relay {
    pub files: SessionFiles,
    /// Written events and the pieces after them.
    pub feed: Feed,
    pub inputs: mpsc::Sender<Input>,
    pub owner: Owner,
    /// State after the last written event.
    state: Mutex<State>,
    clients: Mutex<BTreeMap<u64, Client>>,
    attendance: watch::Sender<Attendance>,
    /// Farewell of a conversation that has not ended.
    bye: Mutex<Bye>,
}

struct Client {
    name: String,
    may: May,
}

impl Relay {
    /// Creates the relay of a conversation after its state `past`.
    pub(super) fn new(
        files: SessionFiles,
        past: State,
        inputs: mpsc::Sender<Input>,
        attendance: watch::Sender<Attendance>,
        owner: Owner,
    ) -> Relay {
        Relay {
            files,
            owner,
            feed: Feed::new(),
            inputs,
            state: Mutex::new(past),
            clients: Mutex::default(),
            attendance,
            bye: Mutex::new(Bye::Left),
        }
    }

    /// Passes on the conversation until its end. An event is held back until it is in the file, so that no client sees
    /// an event that a kill could undo.
    pub(super) async fn run(&self, mut tail: Tail, mut durable: watch::Receiver<Durable>) {
        // without a reader the feed would keep all records
        let mut rest = self.feed.tail();
        while let Some(item) = tail.next().await {
            match item {
                Item::Event(record) => {
                    let seq = record.event.seq;
                    while durable.borrow_and_update().written < Some(seq) {
                        if durable.changed().await.is_err() {
                            break;
                        }
                    }
                    if durable.borrow().written < Some(seq) {
                        break;
                    }
                    let mut state = self.state.lock();
                    if seq >= state.next_seq {
                        state.apply(&record.event);
                        self.feed.push(record);
                    }
                }
                Item::Piece(piece) => self.feed.piece(piece),
                // only replays jump
                Item::Past(_) => {}
            }
            while rest.try_next().is_some() {}
        }
        self.feed.close();
    }

    /// Returns the introduction of the conversation.
    pub(super) fn hello(&self) -> Hello {
        let state = self.state.lock();
        let speaks = state.turns.values().filter_map(|turn| state.seat(&turn.seat));
        Hello {
            protocol: PROTOCOL,
            session: self.files.id(),
            format: FORMAT,
            seq: state.next_seq,
            may: May::Steer,
            title: state.shown_title().to_string(),
            state: doing(&state),
            speaking: speaks.map(|seat| seat.spec.name.to_string()).collect(),
            attached: self.clients.lock().len(),
            pid: std::process::id(),
        }
    }

    /// Returns the `seq` of the next event to be written.
    pub(super) fn next_seq(&self) -> crate::model::Seq {
        self.state.lock().next_seq
    }

    /// Returns the farewell.
    pub(super) fn bye(&self) -> Bye {
        if self.state.lock().ended.is_some() { Bye::Ended } else { *self.bye.lock() }
    }

    /// Asks the engine to stop once nothing is in flight, because another process takes the conversation over.
    pub(super) fn hand_over(&self) {
        *self.bye.lock() = Bye::Detached;
        self.attendance.send_modify(|attendance| attendance.leaving = true);
    }

    /// Adds a client; it is removed when the value is dropped.
    pub(super) fn add(self: &Arc<Relay>, name: Option<&str>, may: May) -> Result<Added, BadName> {
        let mut clients = self.clients.lock();
        let taken = clients.values().map(|client| &*client.name);
        let name = choose(name, &self.state.lock(), taken)?;
        let number = RandomState::new().build_hasher().finish() & 0xffff_ffff_ffff;
        clients.insert(number, Client { name: name.clone(), may });
        drop(clients);
        self.count();
        Ok(Added { relay: self.clone(), name, number })
    }

    /// Publishes the number of clients that may steer.
    fn count(&self) {
        let steer = |client: &&Client| client.may == May::Steer;
        let steering = self.clients.lock().values().filter(steer).count();
        self.attendance
            .send_if_modified(|known| std::mem::replace(&mut known.steering, steering) != steering);
    }
}

/// A client that is attached.
pub(super) struct Added {
    relay: Arc<Relay>,
    /// Its name in the log.
    pub name: String,
    /// Random number of the connection.
    pub number: u64,
}

impl Drop for Added {
    fn drop(&mut self) {
        self.relay.clients.lock().remove(&self.number);
        self.relay.count();
    }
}

fn doing(state: &State) -> Doing {
    let human =
        state.turns.values().any(|turn| state.waits_for_human(turn)) || asks_leave(state).is_some();
    match state.run {
        _ if state.ended.is_some() => Doing::Ended,
        RunState::Paused => Doing::Paused,
        // at a limit the result may still be written
        _ if human || state.limit.is_some() && state.calls().next().is_none() => Doing::Waiting,
        RunState::Going | RunState::Stepping(_) | RunState::Pausing => Doing::Running,
    }
}

/// Maximum length of a name, in characters.
const MAX: usize = 32;
/// Names of the other sources of events and messages.
const RESERVED: [&str; 6] = ["operator", "engine", "host", "system", "human", "you"];
/// Names that this program gives its clients if the user chooses none. The first is for a client without a name.
const USUAL: [&str; 6] = ["client", "guest", "script", "stop", "mcp", "pages"];
/// Beginning of the names that this program gives the browsers of participants.
const LINK: &str = "link-";

/// Reason why a client cannot have a name.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// It has other characters, or too many.
    #[error("a name has at most 32 letters, digits, dots, hyphens and underscores")]
    Characters,
    /// It looks like the name of a participant or of the program.
    #[error("the name looks like `{0}`, which is taken; choose another one")]
    LooksLike(String),
    /// The program gives it to clients of another kind.
    #[error("this program gives its own clients the name `{0}`; choose another one")]
    Usual(String),
}

/// Returns the name that a person chose for a command, whose default is `own`.
///
/// # Errors
/// If the program gives the name to clients of another kind.
pub fn chosen_name(name: &str, own: &str) -> Result<String, BadName> {
    let numbered = name.rsplit_once('-').filter(|(_, number)| number.parse::<u32>().is_ok());
    let base = numbered.map_or(name, |(base, _)| base);
    let is_like = |usual: &&str| text::look_alike(base, usual);
    let link = base.get(..LINK.len()).filter(|begin| begin.eq_ignore_ascii_case(LINK));
    match USUAL.into_iter().find(is_like).or(link) {
        Some(usual) if usual != own => Err(BadName::Usual(usual.to_owned())),
        Some(_) | None => Ok(name.to_owned()),
    }
}

/// Returns the name for a client: the requested one, with a number if another client has it. A name that nobody chose is
/// also numbered if a participant has it.
pub fn choose<'a>(
    wanted: Option<&str>,
    state: &State,
    taken: impl Iterator<Item = &'a str> + Clone,
) -> Result<String, BadName> {
    let wanted = wanted.unwrap_or(USUAL[0]);
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if wanted.is_empty() || wanted.len() > MAX || !wanted.chars().all(fits) {
        return Err(BadName::Characters);
    }
    let seats: Vec<&str> = state.seats.iter().flat_map(|seat| seat.spec.names()).collect();
    let others = RESERVED.into_iter().chain(seats.iter().copied());
    let is_chosen = !USUAL.contains(&wanted) && !wanted.starts_with(LINK);
    let other = others.clone().find(|other| text::look_alike(wanted, other));
    if let (true, Some(other)) = (is_chosen, other) {
        return Err(BadName::LooksLike(other.to_owned()));
    }
    let is_free = |name: &String| {
        let is_like = |other: &str| text::look_alike(name, other);
        !taken.clone().any(is_like) && !others.clone().any(is_like)
    };
    let numbered = (2..).map(|n: u32| format!("{wanted}-{n}"));
    let free = std::iter::once(wanted.to_owned()).chain(numbered).find(is_free);
    free.ok_or(BadName::Characters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Event, FailureRule, Kind, Ms, Seq, ThreadId, Timeouts, Wall};
    use serde_json::json;

    #[test]
    fn names_are_unique_and_unlike_those_of_others() {
        let state = State::default();
        let choose = |wanted, taken: &[&str]| super::choose(wanted, &state, taken.iter().copied());
        assert_eq!(choose(None, &[]).as_deref(), Ok("client"));
        assert_eq!(choose(Some("laptop"), &["laptop", "Laptop-2"]).as_deref(), Ok("laptop-3"));
        let long = "x".repeat(33);
        for bad in ["", "a b", "a:b", "\u{430}da", &long] {
            assert_eq!(choose(Some(bad), &[]), Err(BadName::Characters), "{bad:?}");
        }
        for bad in ["operator", "Operat0r", "ENGINE", "Host"] {
            assert!(matches!(choose(Some(bad), &[]), Err(BadName::LooksLike(_))), "{bad}");
        }
    }

    #[test]
    fn a_person_has_no_name_of_other_clients() {
        for (name, own, usual) in [
            ("mcp", "guest", Some("mcp")),
            ("MCP-2", "script", Some("mcp")),
            ("Link-ada", "guest", Some("Link-")),
            ("script", "guest", Some("script")),
            ("guest", "script", Some("guest")),
            ("script", "script", None),
            ("guest-2", "guest", None),
            ("linked", "guest", None),
            ("laptop-2", "guest", None),
        ] {
            let told = chosen_name(name, own);
            let expected = usual.map_or(Ok(name.into()), |usual| Err(BadName::Usual(usual.into())));
            assert_eq!(told, expected, "{name} for {own}");
        }
    }

    /// Returns the event of a kind, by its place.
    fn event(seq: usize, kind: &str, data: &serde_json::Value) -> Event {
        let data = serde_json::value::to_raw_value(data).unwrap();
        let kind = Kind::read(kind, &data).unwrap();
        let (seq, by, thread) = (Seq(seq as u64), "engine".into(), ThreadId::ROOT);
        Event { seq, at: Wall(0), ms: Ms(0), thread, by, cause: None, kind }
    }

    /// Returns the data of an opening with these participants.
    fn opening(names: &[&str]) -> serde_json::Value {
        let seat = |name: &&str| {
            json!({
                "id": name, "name": name, "voice": {"lines": {"lines": [], "pace": 0}},
                "timeouts": Timeouts::default(), "on_failure": FailureRule::default(),
            })
        };
        let seats: Vec<_> = names.iter().map(seat).collect();
        json!({
            "format": 1, "program": "test", "seed": 1, "rehearsed": true, "parallel": 1,
            "scenario": {"title": "Test", "policy": {"name": "round_robin"}}, "participants": seats,
        })
    }

    #[test]
    fn a_result_in_progress_is_no_wait_for_a_person() {
        let batch = json!({"for": "engine", "purpose": "result", "seats": ["ada"], "why": "",
            "result": {"ends": ["utterance_limit", null]}});
        let events = [
            ("conversation.opened", opening(&["ada"])),
            ("limit.reached", json!({"what": "utterances", "value": 1, "limit": 1})),
            ("batch.opened", batch),
            ("floor.granted", json!({"batch": 2, "participant": "ada"})),
        ];
        let event =
            |(seq, (kind, data)): (usize, &(&str, serde_json::Value))| self::event(seq, kind, data);
        let after = |count| State::fold(events.iter().take(count).enumerate().map(event));
        assert_eq!([2, 4].map(|n| doing(&after(n))), [Doing::Waiting, Doing::Running]);
    }

    #[test]
    fn names_that_nobody_chose_are_numbered_past_participants() {
        let opened = opening(&["Guest", "guest-2", "Script", "link-ada"]);
        let state = State::fold([event(0, "conversation.opened", &opened)]);
        let choose = |wanted| super::choose(Some(wanted), &state, ["guest-3"].into_iter());
        for (usual, name) in [
            ("guest", "guest-4"),
            ("script", "script-2"),
            ("mcp", "mcp"),
            ("link-ada", "link-ada-2"),
        ] {
            assert_eq!(choose(usual).as_deref(), Ok(name));
        }
        for chosen in ["Guest", "guest-2"] {
            assert!(matches!(choose(chosen), Err(BadName::LooksLike(_))), "{chosen}");
        }
    }
}
