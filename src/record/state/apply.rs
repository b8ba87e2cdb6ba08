//! The fold itself, with one match arm per event kind.

use super::table::LastTurn;
use super::*;
use crate::model::payload::*;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Conversation {
    /// Applies one event. Nothing else changes the state.
    pub(super) fn apply(&mut self, event: &Event) {
        debug_assert!(event.seq >= self.next_seq, "events come in order");
        if self.is_rewritten_by(event) {
            self.rolls = Rolls::default();
        }
        self.next_seq = event.seq.next();
        self.waiting = None;
        self.ms = event.ms;
        self.take(event);
        if let (Some(key), false) = (&event.cause, matches!(event.kind, Kind::Receipt(_))) {
            self.acted(key, event);
        }
        // running time counts while a turn other than a human's is in progress
        let running = self.ended.is_none() && self.calls().next().is_some();
        self.running.set(running, event.ms);
    }

    fn take(&mut self, event: &Event) {
        let seq = event.seq;
        let thread = event.thread;
        match &event.kind {
            Kind::Opened(o) => self.open(o),
            Kind::Renamed(r) => self.title = Some(r.title.clone()),
            Kind::Reopened(r) => self.reopen(seq, r.attended, r.steered),
            Kind::Forked(f) => self.fork(seq, f),
            Kind::LogRepaired(_) | Kind::Unknown(_) => {}
            Kind::Warning(w) => self.warnings.push(w.clone()),
            Kind::Ended(e) => {
                self.ended = Some(e.clone());
                self.ending = None;
                self.judging = None;
                self.scribing = None;
            }
            Kind::ThreadOpened(t) => {
                self.reopened_after = None;
                if let Some(parent) = self.threads.get_mut(&thread) {
                    parent.memo = Memo::from_json(&t.memo).into();
                    // steps do not count as idle decisions: the plan limits their number
                    parent.idle_decisions += u32::from(!policies::plan::is_step(t));
                }
                self.add_thread(ThreadId(seq.0), Some(thread), ThreadOpened::clone(t));
                self.begin_step(ThreadId(seq.0), event.ms);
            }
            Kind::ThreadClosed(c) => {
                if let Some(t) = self.threads.get_mut(&thread) {
                    t.closed = Some(c.clone());
                }
            }
            Kind::CommandGiven(g) => self.accept(seq, event.ms, g),
            Kind::CommandRefused(r) => {
                self.refused += 1;
                self.keys.insert(r.key.clone(), seq);
            }
            // the effect of an operator command was folded with the command
            Kind::SeatJoined(_) | Kind::SeatLeft(_) if event.cause.is_some() => {}
            Kind::SeatJoined(j) => self.take_seat(&j.participant),
            Kind::SeatLeft(l) => self.set_seat(&l.id, |seat| seat.gone = true),
            Kind::PlanMade(p) => self.note_plan(thread, p),
            Kind::StepEnded(e) => self.end_step(thread, e),
            Kind::PlanEnded(e) => self.end_plan(thread, e),
            Kind::BatchOpened(b) => {
                self.note_go_on(seq, thread, b);
                self.go_on_with_batch(b);
                self.open_batch(seq, thread, b);
            }
            Kind::FloorGranted(g) => self.grant(seq, event.ms, thread, g),
            Kind::CallStarted(c) => self.start_call(seq, event.ms, c),
            Kind::CallRetried(r) => self.retry(event.ms, r),
            Kind::ToolAsked(a) => self.ask_tools(seq, a),
            Kind::ToolCalled(c) => self.call_tool(seq, c),
            Kind::ToolReturned(r) => self.return_tool(r),
            Kind::ModelAdapted(adapted) => self.adapted.push(adapted.clone()),
            Kind::AgentTool(used) => self.agent_acted(used.turn, event.ms),
            Kind::AgentPlan(plan) => self.agent_acted(plan.turn, event.ms),
            Kind::PermissionAsked(a) => self.ask_permission(seq, event.ms, a),
            Kind::PermissionAnswered(a) => self.answer_permission(event.ms, a),
            Kind::Delta(d) => self.push_pieces(d),
            Kind::TurnEnded(e) => self.end_turn(seq, e),
            Kind::HumanSaid(h) => self.place(seq, thread, &h.of),
            Kind::Receipt(r) => self.receive(r),
            Kind::VoteClosed(v) => self.close_vote(seq, thread, v),
            Kind::PositionRecorded(p) => {
                self.set_seat(&p.participant, |seat| seat.positions.push(p.clone()))
            }
            Kind::ProfileUpdated(p) => self.note_profile(p),
            Kind::StageEntered(s) => self.known.stage = s.clone(),
            Kind::RankingMade(r) => self.note_ranking(r),
            Kind::VerdictGiven(v) => {
                self.settle(thread, v);
                self.announce(seq, thread, Announcement::Verdict(v.clone()));
            }
            Kind::ResultGiven(r) => self.result = Some((r.clone(), self.utterances)),
            Kind::Paused(p) => {
                self.asked.extend(p.rule.map(|rule| (rule, self.utterances)));
                self.run = RunState::Paused;
                self.pause_why = p.why.clone();
                if !p.tied.is_empty()
                    && let Some(judging) = self.judging.as_mut()
                {
                    judging.tied = p.tied.clone();
                }
            }
            Kind::Resumed(r) => {
                self.run = r.steps.map_or(RunState::Going, RunState::Stepping);
                self.pause_why = None;
                // the cause of a failure may have been fixed before the resume
                self.seats.iter_mut().for_each(|s| s.failed = None);
                self.threads.values_mut().for_each(|t| t.idle_decisions = 0);
            }
            Kind::LimitNear(n) => {
                self.near.insert((n.0.what, n.0.limit));
            }
            Kind::LimitReached(l) => {
                self.limit = Some(l.0.clone());
                // a scribe is asked once about the same turns
                let utterances = self.utterances;
                self.scribing.take_if(|scribing| scribing.at != utterances);
            }
        }
    }

    fn open(&mut self, o: &Opened) {
        self.seed = o.seed;
        self.rehearsed = o.rehearsed;
        self.is_team = &*o.program == TEAM;
        self.attended = o.attended;
        self.steered = o.steered;
        self.rules = o.rules;
        self.parallel = o.parallel;
        self.rates = Rates::new(&o.rates);
        // a scenario of a later version may have unknown fields; the seats are still enough to read the conversation
        self.scenario = serde_json::from_value(o.scenario.clone()).unwrap_or_default();
        self.limits = self.scenario.limits.clone();
        self.title = Some(self.scenario.title.clone());
        let spec = ThreadOpened {
            name: self.scenario.title.clone(),
            policy: self.scenario.policy.name.clone(),
            options: Value::Object(self.scenario.policy.options.clone()),
            ..ThreadOpened::default()
        };
        self.add_thread(ThreadId::ROOT, None, spec);
        for p in &o.participants {
            self.join(p, ThreadId::ROOT);
        }
        self.founders = self.seats.len();
        self.begin_profile();
    }

    fn add_thread(&mut self, id: ThreadId, parent: Option<ThreadId>, spec: ThreadOpened) {
        let state = PolicyState::new(&spec.policy);
        let thread = Thread {
            id,
            ordinal: self.threads.len() as u64,
            parent,
            seats: spec.seats.clone(),
            spec,
            state,
            ..Thread::default()
        };
        self.threads.insert(id, thread);
    }

    pub(super) fn set_seat(&mut self, id: &str, change: impl FnOnce(&mut Seat)) {
        if let Some(seat) = self.seats.iter_mut().find(|s| s.spec.id == id) {
            change(seat);
        }
    }

    /// Changes every seat with the model of one, and that seat.
    pub(super) fn set_model_of(&mut self, id: &str, change: impl Fn(&mut Seat)) {
        let name = |seat: &Seat| seat.spec.voice.as_model().map(|model| model.name.clone());
        let model = self.seat(id).and_then(name).filter(|name| !name.is_empty());
        let has_it = |s: &Seat| s.spec.id == id || model.is_some() && name(s) == model;
        self.seats.iter_mut().filter(|seat| has_it(seat)).for_each(change);
    }

    /// Adds a participant, or brings it back to its seat.
    pub(super) fn take_seat(&mut self, p: &Participant) {
        let spec = Arc::new(p.clone());
        let (thinks, widened) = self.learnt(&p.voice);
        match self.seats.iter_mut().find(|s| s.spec.id == p.id) {
            Some(seat) => {
                seat.spec = spec;
                seat.seated = p.voice.label().into();
                seat.failed = None;
                seat.gone = false;
                (seat.thinks, seat.widened) = (thinks, widened);
            }
            None => self.seats.push(Seat { thinks, widened, ..Seat::new(spec) }),
        }
    }

    /// Returns whether the model of a voice was seen to think, and whether it gets more tokens.
    pub(super) fn learnt(&self, voice: &VoiceSpec) -> (bool, Widened) {
        let model = voice.as_model().map(|model| &model.name).filter(|name| !name.is_empty());
        let has_it =
            |s: &&Seat| model.is_some() && s.spec.voice.as_model().map(|m| &m.name) == model;
        let known = self.seats.iter().find(has_it);
        known.map(|seat| (seat.thinks, seat.widened)).unwrap_or_default()
    }

    /// Adds a participant at the end of the order of a thread and of its open child threads that inherit.
    pub(super) fn join(&mut self, p: &Participant, thread: ThreadId) {
        self.take_seat(p);
        let inner: Vec<ThreadId> = self
            .open_threads()
            .filter(|t| p.speaks && (t.id == thread || t.spec.inherits && t.parent == Some(thread)))
            // phases that name their seats do not change
            .filter(|t| self.phase_of(t.id).is_none_or(|phase| phase.open))
            .map(|t| t.id)
            .collect();
        for id in inner {
            if let Some(t) = self.threads.get_mut(&id)
                && !t.seats.contains(&p.id)
            {
                t.seats.push(p.id.clone());
            }
        }
    }

    fn open_batch(&mut self, seq: Seq, thread: ThreadId, b: &Arc<BatchOpened>) {
        let replaced = b.replaces.and_then(|turn| self.spoken(turn));
        let horizon = replaced.map_or(seq, |spoken| spoken.horizon);
        self.asked.retain(|place, _| !b.rearmed.contains(place));
        self.convene(thread, b);
        self.ask_scribe(b);
        let Some(t) = self.threads.get_mut(&thread) else { return };
        let batch = Batch {
            id: BatchId(seq.0),
            spec: Arc::clone(b),
            memo: Memo::from_json(&b.memo).into(),
            horizon,
            context: self.context.clone(),
            ..Batch::default()
        };
        if batch.is_policys() {
            t.memo = batch.memo.clone();
            t.batches += 1;
            t.round = b.round.unwrap_or(t.round);
            t.idle_decisions += 1;
            t.asked = Some(batch.clone());
        }
        match b.requester {
            Requester::Operator if b.replaces.is_none() && b.purpose == Purpose::Speak => {
                t.floor = None;
                if let Some(Ending::FinalRound(left)) = &mut self.ending {
                    left.retain(|s| !b.seats.contains(s));
                }
            }
            Requester::Policy | Requester::Operator | Requester::Engine => {}
        }
        t.batch = Some(batch);
    }

    fn grant(&mut self, seq: Seq, ms: Ms, thread: ThreadId, g: &FloorGranted) {
        let skip = self.skip_due(thread);
        let Some(turn) = self.granted(seq, ms, thread, g) else { return };
        if let Some(batch) = self.threads.get_mut(&thread).and_then(|t| t.batch.as_mut()) {
            batch.interrupted.remove(&turn.seat);
            batch.running.push((turn.id, turn.seat.clone()));
        }
        self.numbers = self.numbers.max(g.number.unwrap_or(0));
        if turn.speaks()
            && let RunState::Stepping(n) = &mut self.run
        {
            *n = n.saturating_sub(1);
        }
        let notes: BTreeSet<_> = g.notes.iter().collect();
        for note in self.notes.iter_mut().filter(|n| notes.contains(&n.id)) {
            note.bound.insert(g.participant.clone(), turn.id);
        }
        let skip = if turn.speaks() { skip } else { None };
        self.turns.insert(turn.id, Turn { skip, ..turn });
    }

    fn start_call(&mut self, seq: Seq, ms: Ms, c: &CallStarted) {
        let heard = self.turns.get(&c.turn).map(|t| if t.calls == 0 { t.first_call } else { None });
        let seat = self.turns.get(&c.turn).and_then(|t| self.seat(&t.seat));
        // usually the same model as when the seat joined: shares its string
        let seated = seat.map(|seat| &seat.seated).filter(|seated| **seated == c.model);
        let model = seated.unwrap_or(&c.model).clone();
        let spec = seat.map(|seat| seat.spec.clone());
        if let Some(t) = self.turns.get_mut(&c.turn) {
            t.heard = heard.flatten().unwrap_or(seq);
            t.call = Some(CallId(seq.0));
            t.calls += 1;
            t.tries += 1;
            t.since = ms;
            t.retry_at = None;
            t.first_call = t.first_call.or(Some(seq));
            t.model = model;
            t.parameters = c.parameters.clone();
            t.labels = c.labels.clone();
            t.left_out = c.left_out;
            t.reserve = spec.map(|spec| Reserve::new(&c.parameters, &spec)).unwrap_or_default();
            t.first_piece = None;
            t.last_piece = None;
            t.permissions = vec![];
            t.active = None;
            t.held = 0;
        }
        self.labelled |= !c.labels.is_empty();
        self.rates.count(&c.model, ms);
        self.note_heard(c.turn);
    }

    /// Applies a failed call whose turn retries, with a shorter prompt, after a delay, or with another model.
    fn retry(&mut self, ms: Ms, r: &CallRetried) {
        let words = self.turns.get(&r.turn).is_some_and(|t| self.contract_of(t).form.is_words());
        let Some(t) = self.turns.get_mut(&r.turn) else { return };
        t.call = None;
        t.permissions.clear();
        t.retry_at = Some(ms.plus(r.wait_ms));
        t.waited = t.waited.saturating_add(r.wait_ms);
        let called_model = t.reserve.prompt > 0;
        let paid = called_model && (r.error.class.costs() || !t.thought.is_empty());
        // logs of earlier programs leave it to be guessed
        let guess = || paid.then(|| t.guess(t.said.len() + t.thought.len()));
        if let Some(usage) = r.usage.clone().or_else(guess) {
            let cost = t.reserve.price.map(|price| price.cost(&usage));
            t.spent.add(&usage, cost);
        }
        let said = std::mem::take(&mut t.said);
        t.thought.clear();
        if r.model.is_some() {
            t.retries = 0;
            t.tries = 0;
            t.waited = 0;
            t.shrunk = false;
            t.corrections = 0;
            t.rejected = None;
            t.echoed = false;
            let seat = t.seat.clone();
            self.replace(&seat);
        } else if r.error.class == ErrorClass::Context {
            t.shrunk = true;
        } else if r.error.class == ErrorClass::Length {
            let seat = t.seat.clone();
            self.set_model_of(&seat, |seat| seat.widened = seat.widened.max(Widened::Once));
        } else if r.error.class == ErrorClass::Echo {
            t.echoed = true;
            t.rejected = Some(Rejected {
                said: said.into(),
                why: r.error.text.clone(),
                ask: None,
                echo: true,
            });
        } else if r.error.class == ErrorClass::Form {
            t.corrections += 1;
            // text in another's name is not shown again: a small model copies it
            let said = if words { String::new() } else { said };
            let (why, ask) = (r.error.text.clone(), r.ask.clone());
            t.rejected = Some(Rejected { said: said.into(), why, ask, echo: false });
        } else if !r.error.class.asks_to_wait() {
            t.retries += 1;
        }
    }

    fn end_turn(&mut self, seq: Seq, e: &TurnEnded) {
        let Some(turn) = self.turns.remove(&e.turn) else { return };
        if let Some(usage) = &e.usage {
            self.learn_margin(&turn, usage);
            self.over.add(usage, e.cost);
            // a bid for others is nobody's own
            if !self.bids_for_others(&turn) {
                self.set_seat(&turn.seat, |s| s.spent.add(usage, e.cost));
            }
        }
        if e.think.is_some() {
            self.set_model_of(&turn.seat, |s| s.thinks = true);
        }
        if e.error.as_ref().is_some_and(|error| error.class == ErrorClass::Length) {
            // a call that began before the limit grew says nothing about the higher one
            let next = if self.may_widen(&turn) { Widened::Once } else { Widened::InVain };
            self.set_model_of(&turn.seat, |s| s.widened = next);
        }
        if e.agent.is_some() {
            self.set_seat(&turn.seat, |s| s.agent.clone_from(&e.agent));
        }
        if e.error.as_ref().is_some_and(|error| error.class == ErrorClass::Budget) {
            self.set_seat(&turn.seat, |s| s.broke = true);
        }
        let crashed = e.why == Some(CutWhy::Crash);
        // a seat that was stopped before its first word keeps the turn; an incomplete answer outside the conversation
        // does not count
        let by_hand = matches!(e.why, Some(CutWhy::PauseNow | CutWhy::CutIn))
            && (!turn.speaks() || !e.has_words());
        let superseded = e.why == Some(CutWhy::Superseded);
        let owed = crashed || by_hand || superseded;
        let words = !owed && turn.speaks() && e.has_words();
        self.settle_notes(&turn, words);
        if words && self.shows(&turn).is_some_and(|shows| shows.thinks) {
            self.set_seat(&turn.seat, |s| s.own_notes.clone_from(&e.think));
        }
        if let (true, Some(act)) = (words, &e.act) {
            self.set_seat(&turn.seat, |s| s.acts.push(act.clone()));
            if act.kind.is_doubt() {
                self.last_doubt = turn.number.max(self.last_doubt);
            }
        }
        self.note_move(seq, &turn, e);
        self.note_message(seq, &turn, e);
        if !owed || superseded {
            self.keep_tools(&turn);
        }
        let newest = || self.threads.get(&turn.thread).and_then(Thread::newest);
        let newest = if superseded { newest() } else { None };
        if let Some(b) = self.threads.get_mut(&turn.thread).and_then(|t| t.batch.as_mut()) {
            b.running.retain(|(id, _)| *id != e.turn);
            if superseded {
                // seats that restart in this batch see everything up to here
                b.horizon = seq;
                let known = newest.filter(|newest| !b.restarts.contains(newest));
                b.restarts.extend(known);
            }
            if owed {
                let again = Interrupted {
                    number: turn.number,
                    notes: turn.notes.clone(),
                    by_hand,
                    tools: if superseded { vec![] } else { turn.kept_tools() },
                    first_call: if crashed { turn.first_call } else { None },
                };
                b.interrupted.insert(turn.seat.clone(), again);
            } else {
                b.ended.push(Reply {
                    turn: turn.id,
                    seat: turn.seat.clone(),
                    outcome: e.outcome,
                    text: e.text.clone(),
                    structured: e.structured.clone(),
                    tokens: e.usage.as_ref().map(|u| u.output),
                });
            }
        }
        if owed
            && turn.speaks()
            && let RunState::Stepping(n) = &mut self.run
        {
            *n = n.saturating_add(1);
        }
        if turn.speaks() && !owed {
            // a repeat of an older message is not the latest message
            if turn.before.is_none() {
                self.last = Some(LastTurn {
                    turn: turn.id,
                    thread: turn.thread,
                    seat: turn.seat.clone(),
                    number: turn.number,
                    horizon: turn.horizon,
                });
            }
            self.follow(&turn, e);
        }
        if words {
            let failed = turn.replaces.is_some_and(|before| self.words_of(before).is_none());
            self.set_seat(&turn.seat, |s| s.failures -= s.failures.min(failed.into()));
            self.say(seq, &turn, e);
        }
        if !turn.speaks() && !owed {
            self.answer(&turn, e);
            self.sum_up(seq, &turn, e);
            self.note_result(&turn, e);
        }
        if let Some(t) = self.threads.get_mut(&turn.thread) {
            t.asked = t.batch.clone().filter(Batch::is_policys).or(t.asked.take());
        }
    }

    /// Applies the effects of an ended turn other than its text: passes, failures, data.
    fn follow(&mut self, turn: &Turn, e: &TurnEnded) {
        match e.outcome {
            Outcome::Passed => {
                if let Some(t) = self.threads.get_mut(&turn.thread)
                    && !t.passed.contains(&turn.seat)
                {
                    t.passed.push(turn.seat.clone());
                }
            }
            Outcome::Failed => {
                self.failed += 1;
                if turn.replaces.is_none() {
                    self.set_seat(&turn.seat, |s| s.failures += 1);
                }
                self.fail(turn, e);
            }
            Outcome::Said | Outcome::Cut => {
                self.set_seat(&turn.seat, |s| s.failed = e.error.clone());
                self.break_off(turn, e);
                if !e.has_words() {
                    // the others go on as planned, so a line that was skipped is not said later
                    let CallParameters { lead, line, .. } = turn.parameters;
                    self.set_seat(&turn.seat, |s| s.lines.extend(lead.into_iter().chain(line)));
                }
            }
        }
        self.keep_data(turn.thread);
        self.keep_run(turn, e);
        if e.outcome != Outcome::Failed && turn.before.is_none() {
            self.keep_answer(turn, e);
        }
    }
}
