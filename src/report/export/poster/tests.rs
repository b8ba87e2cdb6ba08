//! Geometry of the poster.

use super::canvas::Poster;
use super::lines::PoleLines;
use super::{ASCII, UNICODE};
use crate::analysis::{Axis, Mover, Standing, Standpoint, Track};
use crate::model::TurnId;

fn stated(places: &[&[(u32, usize)]]) -> Standing {
    let track = |(place, positions): (usize, &&[(u32, usize)])| {
        let position = |(number, row): &(u32, usize)| Standpoint {
            turn: TurnId(u64::from(*number)),
            number: *number,
            row: *row,
            words: format!("words of turn {number}"),
            by: Mover::Nobody,
            quote: None,
        };
        let positions = positions.iter().map(position).collect();
        Track { place, name: format!("P{place}"), positions, lost: None }
    };
    let tracks: Vec<Track> = places.iter().enumerate().map(track).collect();
    let turns = places.iter().flat_map(|track| track.iter().map(|(number, _)| *number)).max();
    let mut rows = vec![String::new(); 5];
    (rows[0], rows[4]) = ("yes".into(), "no".into());
    Standing { rows, tracks, turns: turns.unwrap_or(1), axis: Axis::Poles }
}

fn drawn(standing: &Standing, width: usize, rows: usize) -> String {
    let lines = PoleLines::new(standing, width, rows, false);
    let mut poster = Poster::new(width, lines.height());
    lines.draw(&mut poster, 0, &UNICODE);
    poster.text()
}

#[test]
fn a_line_bends_where_its_place_changes_and_gives_way_to_a_riser() {
    let three = stated(&[&[(1, 0), (4, 4)], &[(2, 2)], &[(3, 4)]]);
    let text = drawn(&three, 80, 2);
    let expected = [
        "  yes",
        "  P0 ● words of turn 1 ━━━━━━┓",
        "                             ┃",
        "          P1 ●━━━━━━━━━━━━━━ ┃ ━━━━━━● P1  words of turn 2",
        "                             ┃",
        "                  P2 ●━━━━━━ ┃ ━━━━━━● P2  words of turn 3",
        "                             ◆━━━━━━━● P0  words of turn 4",
        "  no",
        "     #1      #2      #3      #4",
    ];
    assert_eq!(text.lines().collect::<Vec<_>>(), expected, "{text}");
}

/// No sign covers a name or words, at every width and with any number of participants.
#[test]
fn names_at_the_right_are_whole_at_every_width() {
    for count in [2, 3, 6, 12] {
        let tracks: Vec<Vec<(u32, usize)>> = (0..count)
            .map(|at| vec![(at as u32 + 1, at % 5), ((count + at) as u32 + 1, (at + 2) % 5)])
            .collect();
        let tracks: Vec<&[(u32, usize)]> = tracks.iter().map(Vec::as_slice).collect();
        let standing = stated(&tracks);
        for width in 40..=200 {
            let text = drawn(&standing, width, 4);
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}\n{text}");
            if count <= 6 {
                for track in &standing.tracks {
                    assert!(text.contains(&track.name), "{} at {width}\n{text}", track.name);
                }
            }
        }
    }
}

#[test]
fn ascii_has_no_other_signs() {
    let standing = stated(&[&[(1, 0), (3, 2)], &[(2, 4)]]);
    let lines = PoleLines::new(&standing, 60, 2, false);
    let mut poster = Poster::new(60, lines.height());
    lines.draw(&mut poster, 0, &ASCII);
    assert!(poster.text().is_ascii(), "{}", poster.text());
}
