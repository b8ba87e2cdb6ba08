//! The card that asks for the operator's attention: a limit was reached, a turn failed, a tool asks. The number of a
//! choice on the line, and Enter, take it; a choice that costs money or lasts takes a second Enter.

use crate::model::{Limit, Outcome, SeatId, Usd};
use crate::state::State;
use crate::state::leave::{AsksLeave, asks_leave, leaves_of};
use crate::text::{self, clock};
use crate::ui::action::Action;
use crate::ui::screen::Screen;
use crate::ui::theme::ThemeRole;
use crate::ui::view::away;
use crate::ui::view::confirming::Confirmed;
use crate::ui::view::extension::{more, more_turns, one_more_round, round};
use crate::ui::view::failures::failed_times;
use crate::ui::view::floor::{Status, failures};
use crate::ui::view::moment::{failed, is_paid, may_be_paid, why};
use crate::ui::view::offer::asking;

/// Minimum milliseconds for which a card is shown before a number is typed that chooses.
const UP_MS: u64 = 500;
/// Minimum number of failures in a row that a card reports while the others go on.
const FAILURES: u32 = 2;

/// Meaning of a line under a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardAnswer {
    /// Index of a choice.
    Choice(usize),
    /// Words, which go where they would go without the card.
    Words,
}

/// Returns the meaning of a line that is entered under numbered choices. `up_ms` are the milliseconds for which they
/// were shown before the line was typed.
pub fn answer(line: &str, up_ms: u64, choices: usize) -> CardAnswer {
    let line = line.trim();
    if up_ms < UP_MS {
        return CardAnswer::Words;
    }
    let chosen = (0..choices).find(|at| line == (at + 1).to_string());
    chosen.map_or(CardAnswer::Words, CardAnswer::Choice)
}

/// ChoicePrice of a choice. All but the free ones ask once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoicePrice {
    /// Costs nothing.
    Free,
    /// Costs about this much.
    About(Usd),
    /// Costs money, and nobody knows how much.
    Unknown,
    /// Costs nothing by itself, and lasts.
    Lasting,
}

impl ChoicePrice {
    /// Returns the price of a number of turns, by the average of the turns so far.
    pub fn of_turns(state: &State, turns: u32) -> ChoicePrice {
        ChoicePrice::of_share(state, turns.into(), state.utterances.into())
    }

    /// Returns the price of `more` turns or tokens, by the price of the `used` ones.
    fn of_share(state: &State, more: u64, used: u64) -> ChoicePrice {
        let spent = state.spent();
        let spent = spent.cost().filter(|usd| usd.0 > 0 && !spent.unpriced);
        let price = spent.and_then(|usd| usd.0.saturating_mul(more).checked_div(used));
        match price {
            _ if !may_be_paid(state) => ChoicePrice::Free,
            Some(price) => ChoicePrice::About(Usd(price)),
            None => ChoicePrice::Unknown,
        }
    }

    /// Returns the sum behind the words of a choice.
    fn sum(self) -> String {
        match self {
            ChoicePrice::Free | ChoicePrice::Lasting => String::new(),
            ChoicePrice::About(usd) => format!(", about {usd}"),
            ChoicePrice::Unknown => ", price not known".into(),
        }
    }
}

/// Effect of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChoiceAct {
    /// Runs an action.
    Do(Action),
    /// Gives the vote of a person.
    Vote(String),
}

#[derive(Clone, Debug)]
pub struct CardChoice {
    /// Description, with the sum if it costs money.
    pub words: String,
    /// Description for the second Enter.
    pub again: String,
    /// Description for a narrow screen, with the sum.
    short: String,
    pub price: ChoicePrice,
    /// True if it lets a call run, which has to be read first.
    pub allows: bool,
    act: ChoiceAct,
}

impl CardChoice {
    fn new(action: Action, words: impl Into<String>) -> CardChoice {
        let words = words.into();
        let act = ChoiceAct::Do(action);
        let price = ChoicePrice::Free;
        CardChoice { again: words.clone(), short: words.clone(), words, price, allows: false, act }
    }

    fn short(self, words: &str) -> CardChoice {
        CardChoice { short: words.into(), ..self }
    }

    fn at(self, price: ChoicePrice) -> CardChoice {
        let [words, short] = [self.words, self.short].map(|words| words + &price.sum());
        CardChoice { again: words.clone(), words, short, price, ..self }
    }

    /// Sets the price; a failure is no moment to say that nobody knows it.
    fn after_failure(self, price: ChoicePrice) -> CardChoice {
        if price == ChoicePrice::Unknown { CardChoice { price, ..self } } else { self.at(price) }
    }

    /// Returns the effect; `None` if it has to be confirmed first.
    pub fn act(self, confirmed: Option<Confirmed>) -> Option<ChoiceAct> {
        (self.price == ChoicePrice::Free || confirmed.is_some()).then_some(self.act)
    }

    /// Returns the descriptions before the first or the second Enter, the shortest last. Each has the sum.
    pub fn forms(self, is_second: bool) -> Vec<String> {
        let first = if is_second { self.again } else { self.words };
        let sum = self.price.sum();
        let sum = sum.strip_prefix(", ").map(str::to_owned);
        [Some(first), Some(self.short), sum].into_iter().flatten().collect()
    }

    /// Returns the words on the card.
    pub fn shown(&self) -> String {
        let more = if self.price == ChoicePrice::Free { "" } else { " (asks once more)" };
        format!("{}{more}", self.words)
    }
}

/// A card that asks for the operator's attention.
pub struct Card {
    /// Identity: another request with equal words is another card.
    pub id: String,
    pub title: String,
    /// Role of the frame.
    pub role: ThemeRole,
    /// Description.
    pub told: String,
    /// Names and values of a call's arguments, whole.
    pub arguments: Vec<(String, String)>,
    /// Choices; the number of one and Enter take it.
    pub choices: Vec<CardChoice>,
    /// Index of the seat that the choices are about, if it need not be selected.
    pub seat: Option<usize>,
}

impl Card {
    /// Returns a card without choices.
    fn new(id: String, title: String, role: ThemeRole, told: impl Into<String>) -> Card {
        let told = told.into();
        Card { id, title, role, told, arguments: vec![], choices: vec![], seat: None }
    }
}

fn permission_id(asks: &AsksLeave) -> String {
    format!("{} {:?}", asks.tool, asks.at)
}

/// Returns the card of a request for permission, with the whole call.
fn permission(screen: &Screen, asks: AsksLeave) -> Card {
    let name = screen.transcript.name(&asks.seat);
    let tool = text::visible(&asks.tool);
    let allow = |action, words: &str| CardChoice { allows: true, ..CardChoice::new(action, words) };
    let choices = vec![
        allow(Action::AllowOnce, "allow once"),
        CardChoice {
            price: ChoicePrice::Lasting,
            again: format!("{tool} unasked until you leave"),
            short: "until you leave".into(),
            ..allow(Action::AllowTool, "until you leave")
        },
        CardChoice::new(Action::RefuseTool, "refuse"),
    ];
    let title = format!("PERMISSION {} {name}", screen.glyphs.dot);
    let sep = if asks.title.is_empty() { "" } else { ": " };
    let told = format!("{tool}{sep}{}", asks.title);
    let card = Card::new(permission_id(&asks), title, ThemeRole::Notice, told);
    Card { arguments: asks.arguments, choices, ..card }
}

/// Returns the price of one turn of a seat.
fn turn_price(state: &State, id: &SeatId) -> ChoicePrice {
    let paid = state.seat(id).is_some_and(|seat| is_paid(&seat.spec));
    if paid { ChoicePrice::of_turns(state, 1) } else { ChoicePrice::Free }
}

/// Returns the card of the current state, if there is one.
pub fn card(screen: &Screen) -> Option<Card> {
    if screen.view.is_recording() {
        return None;
    }
    let state = screen.transcript.state();
    if let Some(asks) = asks_leave(state) {
        return Some(permission(screen, asks));
    }
    if let Some(turn) = failed(&screen.transcript) {
        let name = screen.transcript.name(&turn.seat);
        let times = failed_times(failures(&screen.transcript, &turn.seat)).to_uppercase();
        let title = format!("{times} {} {name}", screen.glyphs.dot);
        let retry = turn_price(state, &turn.seat);
        let on = format!("continue without {name}'s turn");
        let choices = vec![
            CardChoice::new(Action::Retry, "retry").after_failure(retry),
            CardChoice::new(Action::ChangeModel, "another model"),
            CardChoice::new(Action::TogglePause, on)
                .short("go on")
                .after_failure(ChoicePrice::of_turns(state, 1)),
        ];
        let id = format!("failed {:?}", turn.seq);
        return Some(Card { choices, ..Card::new(id, title, ThemeRole::FloorError, why(turn)) });
    }
    budget(screen).or_else(|| vote(screen)).or_else(|| away(screen)).or_else(|| failing(screen))
}

/// Returns the card of an absence.
fn away(screen: &Screen) -> Option<Card> {
    let (title, told) = away::summary(screen)?;
    let absence = screen.view.absence.as_ref()?;
    let mut card = Card::new(format!("away {:?}", absence.left), title, ThemeRole::Notice, told);
    card.choices = vec![
        CardChoice::new(Action::ReadMissed, format!("read from #{}", absence.turns + 1)),
        CardChoice::new(Action::Moments, "only the moments"),
        CardChoice::new(Action::Follow, "stay at the end"),
    ];
    Some(card)
}

/// Returns the card of a budget that is used up.
fn budget(screen: &Screen) -> Option<Card> {
    let state = screen.transcript.state();
    let held = state.limit.as_ref()?;
    if !Status::from_state(state).is_limited() {
        return None;
    }
    // the line of the floor names a planned length, and the line of the composer the way on
    if !held.what.is_budget() {
        return None;
    }
    let amount = |limit, value| match limit {
        Limit::Usd => Usd(value).to_string(),
        Limit::Seconds => clock(value * 1_000),
        Limit::Utterances | Limit::Rounds | Limit::Batches | Limit::Tokens => value.to_string(),
    };
    let used = state.used(held.what, screen.clock.now());
    let spent = state.spent().cost().map(|_| crate::export::cost(&state.spent()));
    let spent = match spent {
        Some(spent) if held.what != Limit::Usd => format!(", {spent} spent"),
        Some(_) | None => String::new(),
    };
    let left = held.limit.saturating_sub(used);
    let mut told =
        format!("{} of {} used{spent}", amount(held.what, used), amount(held.what, held.limit));
    // a turn starts only if its whole reserve is left
    match (held.what, held.next.map(|next| amount(held.what, next))) {
        (Limit::Usd, Some(next)) if left > 0 => {
            told = format!("the next turn does not fit: {told}, it may cost {next}");
        }
        (Limit::Tokens, Some(next)) if left > 0 => {
            told = format!("the next turn does not fit: {told}, it may use {next}");
        }
        // an older session does not record the amount
        (Limit::Usd | Limit::Tokens, None) if left > 0 => {
            let left = amount(held.what, left);
            told.push_str(&format!("; the next turn may need more than the {left} left"));
        }
        _ => {}
    }
    let raised = one_more_round(state).and_then(|set| set.get(held.what));
    let raise =
        raised.map_or_else(|| more(state), |to| format!("raise to {}", held.what.words(to)));
    // the words of a sum of money name it
    let price = match held.what {
        Limit::Usd => ChoicePrice::Lasting,
        Limit::Tokens => raised
            .map(|to| ChoicePrice::of_share(state, to.saturating_sub(used), used))
            .filter(|price| *price != ChoicePrice::Free)
            .unwrap_or(ChoicePrice::Lasting),
        _ => Some(ChoicePrice::of_turns(state, round(state)))
            .filter(|p| *p != ChoicePrice::Free)
            .unwrap_or(ChoicePrice::Lasting),
    };
    let choices = vec![
        CardChoice::new(Action::MoreRound, raise).short("raise").at(price),
        CardChoice::new(Action::SetLimit, "set it"),
        CardChoice::new(Action::End, "end here").at(ChoicePrice::Lasting),
    ];
    let is_used = if left > 0 && held.next.is_some() { "" } else { " USED UP" };
    let title = format!("BUDGET OF {}{is_used}", held.what.words(held.limit).to_uppercase());
    let id = format!("budget {title} {told}");
    Some(Card { choices, ..Card::new(id, title, ThemeRole::FloorStopped, told) })
}

/// Returns the card of the participant whose last turns have failed while the others go on.
fn failing(screen: &Screen) -> Option<Card> {
    let transcript = &screen.transcript;
    let state = transcript.state();
    if !matches!(Status::from_state(state), Status::Running | Status::Stepping | Status::Waiting) {
        return None;
    }
    let able = transcript.failed.in_a_row().filter(|(seat, _)| state.may_speak(seat));
    let (id, times) = able.max_by_key(|(seat, times)| (*times, *seat))?;
    if times < FAILURES {
        return None;
    }
    let mut turns = transcript.turn_log.turns.iter().rev();
    let turn = turns.find(|turn| turn.seat == *id && turn.outcome == Outcome::Failed)?;
    let name = transcript.name(id);
    let title = format!("{name} {}", failed_times(times as usize).to_uppercase());
    let mut card = Card::new(format!("failing {id}"), title, ThemeRole::FloorError, why(turn));
    card.seat = Some(transcript.seat_place(id));
    card.choices = vec![
        CardChoice::new(Action::GiveFloor, "try again").after_failure(turn_price(state, id)),
        CardChoice::new(Action::ChangeModel, "another model"),
        CardChoice::new(Action::Mute, format!("mute {name}")),
    ];
    Some(card)
}

/// Returns the card of a person's vote.
fn vote(screen: &Screen) -> Option<Card> {
    let transcript = &screen.transcript;
    let options = transcript.human_choices();
    if transcript.unattended || options.is_empty() {
        return None;
    }
    let choice = |words: String| CardChoice {
        again: String::new(),
        short: words.clone(),
        price: ChoicePrice::Free,
        allows: false,
        act: ChoiceAct::Vote(words.clone()),
        words,
    };
    let told = transcript.human_question().unwrap_or_default();
    let id = format!("vote {:?} {told}", transcript.human_turn());
    let choices = options.into_iter().map(choice).collect();
    Some(Card { choices, ..Card::new(id, "YOUR VOTE".into(), ThemeRole::Notice, told) })
}

/// Returns the choice that goes on after a limit or the end.
pub fn more_choice(state: &State, words: String) -> CardChoice {
    let price = ChoicePrice::of_turns(state, more_turns(state));
    CardChoice::new(Action::MoreRound, words).short("more").at(price)
}

/// Returns the choices that an ended conversation offers.
fn going_on(screen: &Screen) -> Option<Card> {
    let (state, view) = (screen.transcript.state(), &screen.view);
    let over = match Status::from_state(state) {
        Status::Reached => true,
        Status::Done | Status::Error => !view.unsaved,
        _ => false,
    };
    if !over || view.is_recording() || view.is_read_only() {
        return None;
    }
    let id = format!("end {}", state.utterances);
    let mut choices = vec![more_choice(state, asking(&screen.transcript))];
    if view.over.poster || screen.transcript.has_outcome_to_draw() {
        choices.push(CardChoice::new(Action::Picture, "picture"));
    }
    Some(Card { choices, ..Card::new(id, String::new(), ThemeRole::Notice, "") })
}

/// Returns the choices that a number on the line takes now: of the card, or of the end.
pub fn current(screen: &Screen) -> Option<Card> {
    card(screen).or_else(|| going_on(screen))
}

/// Returns the choice whose number is on the line, with its index.
pub fn typed(screen: &Screen, card: &Card) -> Option<usize> {
    let view = &screen.view;
    let shown = view.card.as_ref().filter(|shown| shown.id == card.id)?;
    let (line, at) = view.keys.line.as_ref()?;
    if *line != view.composer.text() {
        return None;
    }
    match answer(line, at.since(shown.since), card.choices.len()) {
        CardAnswer::Choice(at) => Some(at),
        CardAnswer::Words => None,
    }
}

/// Returns the reason why a tool cannot be allowed yet: a call of it has not been on the screen to its last row.
pub fn unseen(screen: &Screen, tool: &str) -> Option<String> {
    let state = screen.transcript.state();
    state
        .turns
        .values()
        .flat_map(|turn| leaves_of(state, turn))
        .find(|asks| *asks.tool == *tool)?;
    let first = asks_leave(state).filter(|asks| *asks.tool == *tool);
    let shown = screen.view.card.as_ref().filter(|shown| shown.whole);
    match first.zip(shown) {
        Some((asks, shown)) if permission_id(&asks) == shown.id => None,
        Some(_) | None => {
            let key = screen.keymap.way(Action::PageDown, screen.view.steering());
            Some(format!("read to the last row first: {key}"))
        }
    }
}

/// Scrolls the card by a page; returns whether the action means that.
pub fn scroll(screen: &mut Screen, action: Action) -> bool {
    let Some(shown) = &mut screen.view.card else { return false };
    let (window, all) = shown.window;
    let last = all.saturating_sub(window);
    let to = match action {
        Action::PageDown => (shown.top + window).min(last),
        Action::PageUp => shown.top.saturating_sub(window),
        _ => return false,
    };
    std::mem::replace(&mut shown.top, to) != to
}
