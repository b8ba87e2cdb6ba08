//! Draws a directed graph as text: one box per node, successors to the right, and arrows between them.
//!
//! Columns are depths: a node is one column to the right of its deepest predecessor. Edges that lead back to an earlier
//! node are not drawn, but listed below the picture.

use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::view::page::Section;
use std::collections::BTreeSet;

/// Width of a box in cells, borders included.
const BOX: usize = 20;
/// Width of the gap between two columns in cells: an arrow and space for lines.
const GUTTER: usize = 6;
/// Height of a box and the gap below it, in rows.
const ROWS: usize = 4;
/// Maximum number of nodes of a picture; a larger graph is a list.
const DRAWN_MAX: usize = 64;

/// Directions in which lines leave a cell, as bit flags.
const UP: u8 = 1;
const DOWN: u8 = 2;
const LEFT: u8 = 4;
const RIGHT: u8 = 8;

pub struct GraphNode {
    /// Name on one line.
    pub name: String,
    /// Symbol of its state.
    pub sign: &'static str,
    /// Word for its state.
    pub word: String,
}

/// An edge between two nodes, by their indices.
pub struct GraphEdge {
    /// Predecessor.
    pub from: usize,
    /// Successor.
    pub to: usize,
    /// Condition of the edge, on one line; empty for none.
    pub when: String,
}

/// Draws a graph as a picture, and as text for narrow screens: below each node, its successors.
pub fn section(nodes: &[GraphNode], edges: &[GraphEdge], glyphs: &Glyphs) -> Section {
    let line = |node: &GraphNode| format!("{} {} ({})", node.sign, node.name, node.word);
    let [_, _, corner, _] = glyphs.corners;
    let rule = glyphs.rule.repeat(2);
    let mut body = String::new();
    let mut sorted: Vec<&GraphEdge> = edges.iter().collect();
    sorted.sort_by_key(|edge| (edge.from, edge.to));
    sorted.dedup_by_key(|edge| (edge.from, edge.to));
    let mut sorted = sorted.into_iter().peekable();
    for (from, node) in nodes.iter().enumerate() {
        body.push_str(&format!("{}\n", line(node)));
        while let Some(edge) = sorted.next_if(|edge| edge.from == from) {
            let when =
                if edge.when.is_empty() { String::new() } else { format!("  when {}", edge.when) };
            body.push_str(&format!("  {corner}{rule} {}{when}\n", line(&nodes[edge.to])));
        }
    }
    let drawn = if nodes.len() <= DRAWN_MAX { picture(nodes, edges, glyphs) } else { vec![] };
    Section { body, picture: drawn, ..Section::default() }
}

/// Draws each node as a box with its name and its state; the rows have no trailing spaces.
fn picture(nodes: &[GraphNode], edges: &[GraphEdge], glyphs: &Glyphs) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let edges = edges.iter().map(|edge| (edge.from, edge.to));
    let edges: Vec<(usize, usize)> = edges.filter(|edge| seen.insert(*edge)).collect();
    let (depths, back) = depths(nodes.len(), &edges);
    let columns = depths.iter().max().map_or(0, |deepest| deepest + 1);
    let mut places = vec![(0, 0); nodes.len()];
    let mut filled = vec![0; columns];
    for (node, depth) in depths.iter().enumerate() {
        places[node] = (*depth, filled[*depth]);
        filled[*depth] += 1;
    }
    let high = filled.iter().max().copied().unwrap_or(0) * ROWS;
    let wide = columns * (BOX + GUTTER);
    let mut ways = vec![vec![0_u8; wide]; high];
    let mut arrows: Vec<(usize, usize)> = Vec::new();
    for (from, to) in edges.iter().filter(|edge| !back.contains(edge)) {
        let ((column, row), (to_column, to_row)) = (places[*from], places[*to]);
        let y = row * ROWS + 1;
        let to_y = to_row * ROWS + 1;
        let out = column * (BOX + GUTTER) + BOX;
        let end = to_column * (BOX + GUTTER) - 1;
        let turn = end - 3;
        if to_column == column + 1 {
            across(&mut ways, y, out, turn);
            along(&mut ways, turn, y, to_y);
        } else {
            // the row below the boxes in between is free
            let lane = row * ROWS + ROWS - 1;
            across(&mut ways, y, out, out + 1);
            along(&mut ways, out + 1, y, lane);
            across(&mut ways, lane, out + 1, turn);
            along(&mut ways, turn, lane, to_y);
        }
        across(&mut ways, to_y, turn, end);
        arrows.push((end, to_y));
    }
    let mut cells: Vec<Vec<String>> = ways
        .iter()
        .map(|row| row.iter().map(|ways| glyphs.joint(*ways).to_owned()).collect())
        .collect();
    arrows.iter().for_each(|(x, y)| cells[*y][*x] = glyphs.arrow.to_owned());
    for (node, (column, row)) in nodes.iter().zip(&places) {
        let lines = boxed(&node.name, &format!("{} {}", node.sign, node.word), glyphs);
        for (i, line) in lines.iter().enumerate() {
            let x = column * (BOX + GUTTER);
            let row = &mut cells[row * ROWS + i];
            row[x].clone_from(line);
            row[x + 1..x + BOX].iter_mut().for_each(String::clear);
        }
    }
    let rows = cells.iter().map(|row| row.concat().trim_end().to_owned());
    let back = back.iter().map(|(from, to)| {
        format!("back: {} {} {}", nodes[*from].name, glyphs.arrow, nodes[*to].name)
    });
    rows.chain(back).collect()
}

/// Returns the rows of a box.
fn boxed(name: &str, word: &str, glyphs: &Glyphs) -> [String; 3] {
    let [top_left, top_right, bottom_left, bottom_right] = glyphs.corners;
    let inside = BOX - 2;
    let name = format!(" {} ", clip(name, inside - 3, glyphs.ellipsis));
    let rule = glyphs.rule.repeat(inside - width(&name));
    let word = format!(" {}", clip(word, inside - 2, glyphs.ellipsis));
    let gap = " ".repeat(inside - width(&word));
    [
        format!("{top_left}{name}{rule}{top_right}"),
        format!("{}{word}{gap}{}", glyphs.wall, glyphs.wall),
        format!("{bottom_left}{}{bottom_right}", glyphs.rule.repeat(inside)),
    ]
}

/// Adds a horizontal line.
fn across(ways: &mut [Vec<u8>], y: usize, from: usize, to: usize) {
    for (x, cell) in ways[y].iter_mut().enumerate().take(to + 1).skip(from) {
        let left = if x > from { LEFT } else { 0 };
        let right = if x < to { RIGHT } else { 0 };
        *cell |= left | right;
    }
    // the line starts at the border of a box
    if ways[y][from] == RIGHT {
        ways[y][from] |= LEFT;
    }
}

/// Adds a vertical line.
fn along(ways: &mut [Vec<u8>], x: usize, from: usize, to: usize) {
    let (from, to) = (from.min(to), from.max(to));
    for (y, row) in ways.iter_mut().enumerate().take(to + 1).skip(from) {
        row[x] |= if y > from { UP } else { 0 } | if y < to { DOWN } else { 0 };
    }
}

/// Returns the depth of each node, and the edges that lead back.
fn depths(nodes: usize, edges: &[(usize, usize)]) -> (Vec<usize>, Vec<(usize, usize)>) {
    let mut forward: Vec<(usize, usize)> = Vec::new();
    let mut successors = vec![Vec::new(); nodes];
    let mut back = Vec::new();
    for edge in edges {
        // an edge that would close a cycle with the edges before it leads back
        if edge.0 == edge.1 || reaches(&successors, edge.1, edge.0) {
            back.push(*edge)
        } else {
            forward.push(*edge);
            successors[edge.0].push(edge.1);
        }
    }
    let mut depths = vec![0; nodes];
    for _ in 0..nodes {
        for (from, to) in &forward {
            depths[*to] = depths[*to].max(depths[*from] + 1);
        }
    }
    (depths, back)
}

/// Returns `true` if `to` is reachable from `from`.
fn reaches(successors: &[Vec<usize>], from: usize, to: usize) -> bool {
    let mut seen = vec![false; successors.len()];
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            open.extend(&successors[node]);
        }
    }
    seen[to]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::glyphs::{ASCII, UNICODE};

    #[test]
    fn boxes_follow_their_dependencies_and_are_joined_by_lines() {
        let node = |name: &str| GraphNode { name: name.into(), sign: "-", word: "waiting".into() };
        let nodes = ["a", "b", "c", "d"].map(node);
        let edges = [(0, 1), (0, 2), (1, 3), (2, 3), (0, 3), (3, 0)];
        let edges = edges.map(|(from, to)| GraphEdge { from, to, when: String::new() });
        let drawn = picture(&nodes, &edges, &UNICODE);
        let (back, boxes) = drawn.split_last().unwrap();
        assert_eq!(back, "back: d ▶ a");
        let shown = boxes.join("\n");
        let row = |words: &str| boxes.iter().find(|row| row.contains(words)).unwrap();
        assert!(row("┌ a").contains("┌ b") && row("┌ a").contains("┌ d"), "{shown}");
        assert!(row("┌ c").starts_with("      "), "{shown}");
        assert_eq!(shown.matches('▶').count(), 3, "arrows meet: {shown}");
        let ascii = picture(&nodes, &edges, &ASCII).join("");
        assert!(ascii.is_ascii(), "{ascii}");
    }
}
