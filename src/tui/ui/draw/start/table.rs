//! The second row of the box: who sits there, and the kind of talk.

use crate::text;
use crate::ui::draw::start::keys::pair;
use crate::ui::draw::start::page::StartPage;
use crate::ui::start::{PlannedSeat, StartRow, VoiceChoice, bare, short};
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::ThemeRole;
use ratatui::text::{Line, Span};
use std::collections::BTreeSet;

/// Advice about a table with one model.
const ALIKE: &str = "one model for all: expect agreement";

/// A part of the row that belongs to some seats of one model.
struct Chip {
    /// Index of the first seat, for the colour.
    at: usize,
    /// Number of seats.
    seats: usize,
    /// Names of the seats; empty for models that sit as themselves.
    names: Vec<String>,
    model: String,
}

impl StartPage<'_> {
    /// Returns the row, and the column of the part that has the focus.
    pub(super) fn table(&self, room: usize) -> (Line<'static>, usize) {
        let start = self.start;
        let muted = self.style(ThemeRole::Muted);
        let kind = self.kind();
        let most = room.saturating_sub(width(&kind) + 2);
        let mut spans = self.who(if most < room / 3 { room } else { most });
        let used: usize = spans.iter().map(Span::width).sum();
        let at = room.saturating_sub(width(&kind));
        if used + 2 > at {
            return (Line::from(spans), if start.at == StartRow::Kind { used } else { 0 });
        }
        let role = if start.at == StartRow::Kind { ThemeRole::Title } else { ThemeRole::Muted };
        spans.push(Span::styled(" ".repeat(at - used), muted));
        spans.push(Span::styled(kind, self.style(role)));
        (Line::from(spans), if start.at == StartRow::Kind { at } else { 0 })
    }

    /// Returns the kind of talk and its length, or the way to the models.
    fn kind(&self) -> String {
        let start = self.start;
        let Some(script) = start.script() else { return String::new() };
        let is_first = start.script == 0 && start.at == StartRow::Topic;
        if script.open && start.table().is_empty() && is_first {
            let key = pair(start, &[crate::ui::action::Action::NextField]);
            return format!("{key}: bring your own models");
        }
        let kind = text::label(&script.name).replace('-', " ");
        let expected = start.expected().map(|forecast| &forecast.length);
        let length = expected.filter(|length| !length.is_empty()).unwrap_or(&script.length);
        if length.is_empty() { kind } else { format!("{kind} {} {length}", start.glyphs.dot) }
    }

    /// Returns the seats as far as they fit, each in its colour.
    fn who(&self, room: usize) -> Vec<Span<'static>> {
        let start = self.start;
        let look = if start.at == StartRow::Who { ThemeRole::Title } else { ThemeRole::Text };
        let plain = |said: String| {
            vec![Span::styled(clip(&said, room, start.glyphs.ellipsis), self.style(look))]
        };
        if start.has_no_model() {
            let typed =
                if start.typed.is_empty() { String::new() } else { format!("  {}", start.typed) };
            return plain(format!("no model{typed}"));
        }
        let Some(script) = start.script() else { return vec![] };
        if let Some(fault) = &script.fault {
            return plain(format!("cannot run: {}", text::line(fault)));
        }
        let table = start.table();
        let seats: Vec<PlannedSeat> = match (start.expected(), start.voice()) {
            (Some(forecast), _) if !forecast.seats.is_empty() => forecast.seats.clone(),
            (_, Some(VoiceChoice::Models(_))) => table
                .iter()
                .map(|model| PlannedSeat { name: String::new(), model: model.name.clone() })
                .collect(),
            _ => script
                .cast
                .iter()
                .map(|name| PlannedSeat { name: name.clone(), model: String::new() })
                .collect(),
        };
        let models: Vec<&str> = seats.iter().map(|seat| bare(&seat.model)).collect();
        let is_one = seats.len() > 1
            && !models[0].is_empty()
            && models.iter().collect::<BTreeSet<_>>().len() == 1;
        let rehearsed = (script.open && table.is_empty()).then_some("rehearsed: ");
        let long = chips(&seats, &models);
        let short = chips(&seats, &short(&models).iter().map(String::as_str).collect::<Vec<_>>());
        let all = [long, short];
        let rows = all.iter().flat_map(|chips| {
            [true, false].map(|advised| self.row(chips, rehearsed, is_one && advised, look))
        });
        let fitting: Vec<Vec<Span<'static>>> = rows.collect();
        let fits = |row: &&Vec<Span<'static>>| row.iter().map(Span::width).sum::<usize>() <= room;
        if let Some(row) = fitting.iter().find(fits) {
            return row.clone();
        }
        let last = fitting.last().cloned().unwrap_or_default();
        let whole: String = last.iter().map(|span| &*span.content).collect();
        plain(whole)
    }

    fn row(
        &self,
        chips: &[Chip],
        before: Option<&'static str>,
        advised: bool,
        look: ThemeRole,
    ) -> Vec<Span<'static>> {
        let muted = self.style(ThemeRole::Muted);
        let mut spans: Vec<Span<'static>> =
            before.map(|before| Span::styled(before, muted)).into_iter().collect();
        for (i, chip) in chips.iter().enumerate() {
            let gap = if chip.model.is_empty() {
                ", ".into()
            } else {
                format!(" {} ", self.start.glyphs.dot)
            };
            if i > 0 {
                spans.push(Span::styled(gap, muted));
            }
            for (j, name) in chip.names.iter().enumerate() {
                let style = self.start.theme.speaker_bar(chip.at + j);
                let gap = if j > 0 { ", " } else { "" };
                spans.push(Span::styled(gap, muted));
                spans.push(Span::styled(text::name(name).into_owned(), style));
            }
            if !chip.model.is_empty() {
                let gap = if chip.names.is_empty() { "" } else { " " };
                let style = if chip.names.is_empty() {
                    self.start.theme.speaker_bar(chip.at)
                } else {
                    self.style(look)
                };
                let times = if self.start.glyphs.curves { "\u{d7}" } else { "x" };
                let model = text::name(&chip.model).replace('\u{d7}', times);
                spans.push(Span::styled(format!("{gap}{model}"), style));
            }
        }
        if advised {
            spans.push(Span::styled(format!("  {ALIKE}"), self.style(ThemeRole::Notice)));
        }
        spans
    }
}

/// Returns a chip for each model. Models that sit as themselves are named once.
fn chips(seats: &[PlannedSeat], models: &[&str]) -> Vec<Chip> {
    let mut chips: Vec<Chip> = vec![];
    for (at, (seat, model)) in seats.iter().zip(models).enumerate() {
        let name = bare(&seat.model).to_lowercase();
        let is_itself = !seat.name.is_empty() && {
            let own = seat.name.to_lowercase();
            let own = own.split(' ').next().unwrap_or_default();
            !seat.model.is_empty() && name.contains(own)
        };
        let names =
            if is_itself || seat.name.is_empty() { vec![] } else { vec![seat.name.clone()] };
        let last = chips.len().saturating_sub(1);
        let is_same = |i: usize, chip: &Chip| {
            let is_beside = i == last || names.is_empty();
            let is_model = !model.is_empty() && chip.model == *model;
            is_beside && is_model && chip.names.is_empty() == names.is_empty()
        };
        let same = chips.iter_mut().enumerate().find(|(i, chip)| is_same(*i, chip));
        match same {
            Some((_, chip)) => {
                chip.seats += 1;
                chip.names.extend(names);
            }
            None => chips.push(Chip { at, seats: 1, names, model: (*model).to_owned() }),
        }
    }
    for chip in chips.iter_mut().filter(|chip| chip.seats > 1) {
        chip.model = format!("{} \u{d7}{}", chip.model, chip.seats);
    }
    chips
}
