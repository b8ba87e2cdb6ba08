//! Geometry of the poster.

use super::canvas::Poster;
use super::lines::PoleLines;
use super::{ASCII, PosterInk, UNICODE, svg};
use crate::analysis::{Axis, Mover, Standing, Standpoint, Track};
use crate::model::TurnId;
use unicode_width::UnicodeWidthStr;

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
    let numbers = (1..=turns.unwrap_or(1)).collect();
    Standing { rows, tracks, numbers, axis: Axis::Poles }
}

fn drawn(standing: &Standing, width: usize, rows: usize) -> String {
    let lines = PoleLines::new(standing, width, rows, 0);
    let mut poster = Poster::new(width, lines.height());
    lines.draw(&mut poster, 0, &UNICODE);
    poster.text()
}

#[test]
fn a_line_bends_where_its_place_changes_and_gives_way_to_a_riser() {
    let three = stated(&[&[(1, 0), (4, 4)], &[(2, 2)], &[(3, 4)]]);
    let text = drawn(&three, 80, 2);
    let expected = [
        "  yes                                                  ◆ moved along the scale",
        "  +2 P0 ● words of turn 1 ━━━━━━┓",
        "  +1                            ┃",
        "   0         P1 ●━━━━━━━━━━━━━━ ┃ ━━━━━━●  P1  words of turn 2",
        "  -1                            ┃",
        "  -2                 P2 ●━━━━━━ ┃ ━━━━━━●╮ P2  words of turn 3",
        "  -2                            ◆━━━━━━━●╯ P0  words of turn 4",
        "  no",
        "        #1      #2      #3      #4",
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
    let lines = PoleLines::new(&standing, 60, 2, 0);
    let mut poster = Poster::new(60, lines.height());
    lines.draw(&mut poster, 0, &ASCII);
    assert!(poster.text().is_ascii(), "{}", poster.text());
}

/// Names of every length stand at both ends of their lines at every width, whole or with an ellipsis.
#[test]
fn names_of_every_length_stand_at_both_ends_of_a_line() {
    for letters in [["A", "B", "C"], ["阿", "波", "茨"], ["A\u{308}", "B\u{308}", "C\u{308}"]] {
        for length in 1..=60 {
            let mut standing = stated(&[&[(1, 0), (4, 1)], &[(2, 4), (5, 1)], &[(3, 2)]]);
            for (track, letter) in standing.tracks.iter_mut().zip(letters) {
                track.name = letter.repeat(length);
            }
            for width in (40..=200).skip(length % 16).step_by(16) {
                let text = drawn(&standing, width, 2);
                assert!(text.lines().all(|line| line.width() <= width), "{width}\n{text}");
                for (track, letter) in standing.tracks.iter().zip(letters) {
                    let base = &letter[..letter.chars().next().map_or(0, char::len_utf8)];
                    let own = |c: char| base.contains(c) || c == '\u{308}';
                    let runs: Vec<(usize, &str)> =
                        text.match_indices(base).map(|(at, _)| (at, &text[at..])).collect();
                    let first = |at: usize| !text[..at].ends_with(own);
                    let runs = runs.into_iter().filter(|(at, _)| first(*at));
                    let is_whole = |rest: &str| {
                        let end = rest.find(|c| !own(c)).unwrap_or(rest.len());
                        rest[..end] == track.name || rest[end..].starts_with('…')
                    };
                    let runs: Vec<bool> = runs.map(|(_, rest)| is_whole(rest)).collect();
                    assert_eq!(runs, [true, true], "{letter} {length} at {width}\n{text}");
                }
            }
        }
    }
}

/// Those who stand at one place are joined at the end, in rows without a blank one between them, and the places have their
/// numbers.
#[test]
fn those_at_one_place_stand_together() {
    let standing = stated(&[&[(1, 0), (4, 1)], &[(2, 4), (5, 1)], &[(3, 2)]]);
    let lines = PoleLines::new(&standing, 100, 2, 1);
    let mut poster = Poster::new(100, lines.height());
    lines.draw(&mut poster, 0, &UNICODE);
    let expected = [
        "  yes                                                                      ◆ moved along the scale",
        "  +2 P0 ● words of turn 1 ━━━━━━┓",
        "                                ┃",
        "  +1                            ◆━━━━━━━━━━━━━━━●╮ P0  words of turn 4",
        "  +1                                    ◆━━━━━━━●╯ P1  words of turn 5",
        "                                        ┃",
        "   0                 P2 ●━━━━━━━━━━━━━━ ┃ ━━━━━━●  P2  words of turn 3",
        "                                        ┃",
        "  -1                                    ┃",
        "                                        ┃",
        "  -2         P1 ● words of turn 2 ━━━━━━┛",
        "  no",
        "        #1      #2      #3      #4      #5",
    ];
    let text = poster.text();
    assert_eq!(text.lines().collect::<Vec<_>>(), expected, "{text}");
}

/// A turn that failed has a number and no column.
#[test]
fn the_axis_has_the_turns_that_were_spoken() {
    let mut standing = stated(&[&[(1, 0), (13, 1), (23, 2)], &[(2, 4)]]);
    standing.numbers = vec![1, 2, 13, 23];
    let text = drawn(&standing, 80, 2);
    assert!(text.ends_with("#1      #2      #13     #23\n"), "{text}");
    let drawn = text.lines().skip(1);
    let signs = drawn.filter_map(|line| line.chars().position(|c| c == '◆'));
    let axis = text.lines().next_back().unwrap_or_default();
    let columns = ["#13", "#23"].map(|number| axis.find(number));
    assert_eq!(signs.map(Some).collect::<Vec<_>>(), columns, "{text}");
}

/// Of several in one row, each has room, and what is cut has one ellipsis.
#[test]
fn long_names_share_a_row() {
    let mut standing = stated(&[&[(1, 0), (3, 1)], &[(2, 4), (4, 1)]]);
    standing.tracks[0].name = "Angstrom-Ostergard the Third".into();
    let text = drawn(&standing, 40, 1);
    assert!(text.contains("● Angstrom-O… · P1"), "{text}");
    assert!(!text.contains("……"), "{text}");
}

/// A participant who begins behind the line of another one in its row has a name, too. A row of two ends in words only if
/// both say them.
#[test]
fn a_line_gives_way_to_a_name() {
    let standing = stated(&[&[(1, 0)], &[(3, 0)], &[(5, 4)]]);
    let text = drawn(&standing, 80, 1);
    let row = text.lines().nth(1).unwrap_or_default();
    assert_eq!(row, "  +2 P0 ●━━━━━━━━━━━ P1 ●━━━━━━━━━━━━━━━━━━━━━━━● P0 · P1", "{text}");
}

/// A poster with many empty rows has its content above the middle.
#[test]
fn content_of_a_tall_poster_is_centred() {
    let filled = |rows: usize| {
        let mut poster = Poster::new(10, 24);
        (0..rows).for_each(|y| _ = poster.put(0, y, "x", PosterInk::Plain, false));
        poster.centred().text().lines().take_while(|line| line.is_empty()).count()
    };
    assert_eq!([filled(9), filled(16), filled(17)], [5, 2, 0]);
}

/// Every move has its sign in the colour of its participant, and nothing covers the beginning of a line, at every width.
#[test]
fn every_move_has_its_sign_at_every_width() {
    for count in [2, 3, 6, 12] {
        let tracks: Vec<Vec<(u32, usize)>> = (0..count)
            .map(|at| vec![(at as u32 + 1, at % 5), ((count + at) as u32 + 1, (at * 3 + 2) % 5)])
            .collect();
        let tracks: Vec<&[(u32, usize)]> = tracks.iter().map(Vec::as_slice).collect();
        let standing = stated(&tracks);
        let moves = standing.moves();
        for width in 40..=200 {
            let lines = PoleLines::new(&standing, width, 4, 0);
            let mut poster = Poster::new(width, lines.height());
            lines.draw(&mut poster, 0, &UNICODE);
            let signs = |sign: &str, place: usize| {
                let cells = (0..poster.height()).flat_map(|y| (0..width).map(move |x| (x, y)));
                let own = PosterInk::Seat(place);
                cells.filter(|(x, y)| poster.cell(*x, *y) == Some((sign, own))).count()
            };
            for track in &standing.tracks {
                let own = moves.iter().filter(|moved| moved.place == track.place).count();
                let drawn = (signs("◆", track.place), signs("●", track.place));
                assert_eq!(
                    drawn,
                    (own, 2),
                    "{} of {count} at {width}\n{}",
                    track.name,
                    poster.text()
                );
            }
        }
    }
}

/// A line and a mark of one participant join in pictures: the cell of the mark has the ends of its own lines.
#[test]
fn lines_reach_their_marks() {
    let standing = stated(&[&[(1, 0), (3, 2)], &[(2, 4)]]);
    let lines = PoleLines::new(&standing, 80, 2, 0);
    let mut poster = Poster::new(80, lines.height());
    lines.draw(&mut poster, 0, &UNICODE);
    let cells = (0..poster.height()).flat_map(|y| (0..80).map(move |x| (x, y)));
    let mark = cells.clone().find(|(x, y)| poster.cell(*x, *y) == Some(("◆", PosterInk::Seat(0))));
    let (x, y) = mark.unwrap();
    assert_eq!(poster.strokes(x, y), [[4, 0, 2, 10], [5, 9, 5, 2]]);
    let picture = svg(&poster);
    assert!(picture.contains(" d=\"M") && !picture.contains(['┃', '━', '◆', '●']), "{picture}");
}
