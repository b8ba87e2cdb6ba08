//! A poster as pixels and as text with colours. Lines and signs are drawn as shapes, so that they join at every size; letters
//! come from a subset of DejaVu Sans Mono.

use super::super::document::Document;
use super::canvas::{Poster, PosterInk};
use super::svg::{CELL, document_poster};
use ab_glyph::{Font, FontRef, ScaleFont};
use std::io::{self, Write};

/// Colours of a picture: the ground, secondary text, text, participants.
pub(super) const BACKGROUND: [u8; 3] = [0x15, 0x15, 0x1b];
const MUTED: [u8; 3] = [0x9a, 0x97, 0x9f];
const PLAIN: [u8; 3] = [0xe6, 0xe3, 0xdd];
pub(super) const SEATS: [[u8; 3]; 8] = [
    [0xf4, 0xb7, 0x4d],
    [0xc0, 0x88, 0xf8],
    [0x94, 0xfe, 0xe8],
    [0xfd, 0x74, 0x62],
    [0xd1, 0xba, 0xe6],
    [0xe8, 0xfb, 0x5c],
    [0x44, 0xd5, 0xa5],
    [0x6a, 0xa9, 0xb5],
];
/// Pixels above and below the cells.
const PAD: usize = 5;
/// Em size at which a letter is as wide as a cell, in pixels.
const EM: f32 = 16.6;

const REGULAR: &[u8] = include_bytes!("../../assets/fonts/DejaVuSansMono.ttf");
const BOLD: &[u8] = include_bytes!("../../assets/fonts/DejaVuSansMono-Bold.ttf");

/// Returns the colour of an ink.
pub(super) fn colour(ink: PosterInk) -> [u8; 3] {
    match ink {
        PosterInk::Muted => MUTED,
        PosterInk::Plain => PLAIN,
        PosterInk::Seat(place) => SEATS[place % SEATS.len()],
    }
}

/// Pixels of a picture.
struct Pixels {
    width: usize,
    bytes: Vec<u8>,
}

impl Pixels {
    /// Mixes a colour into a pixel; `share` is from 0 to 1.
    fn mix(&mut self, x: usize, y: usize, colour: [u8; 3], share: f32) {
        let at = (y * self.width + x) * 3;
        let Some(pixel) = self.bytes.get_mut(at..at + 3).filter(|_| x < self.width) else { return };
        for (old, new) in pixel.iter_mut().zip(colour) {
            let mixed =
                f32::from(*old) + (f32::from(new) - f32::from(*old)) * share.clamp(0.0, 1.0);
            *old = mixed.round() as u8;
        }
    }

    /// Draws a sign of the cell at a pixel if it is a line or a mark; returns whether it is one.
    fn shape(&mut self, c: char, (x, y): (usize, usize), colour: [u8; 3]) -> bool {
        let (w, h) = CELL;
        let (mx, my) = (w as f32 / 2.0 - 0.5, h as f32 / 2.0 - 0.5);
        let inside = |dx: usize, dy: usize| -> f32 {
            let (rx, ry) = (dx as f32 - mx, dy as f32 - my);
            let (row, column) = (ry.abs() <= 1.0, rx.abs() <= 1.0);
            let far = rx.abs() + ry.abs();
            let on = |is: bool| if is { 1.0 } else { 0.0 };
            match c {
                '━' | '─' => on(row),
                '┃' => on(column),
                '┓' => on(row && rx <= 1.0 || column && ry >= -1.0),
                '┛' => on(row && rx <= 1.0 || column && ry <= 1.0),
                '◆' => (5.0 - far).clamp(0.0, 1.0),
                '◇' => (5.0 - far).clamp(0.0, 1.0) * (far - 2.6).clamp(0.0, 1.0),
                '●' => (4.6 - rx.hypot(ry)).clamp(0.0, 1.0),
                _ => 0.0,
            }
        };
        if !matches!(c, '━' | '─' | '┃' | '┓' | '┛' | '◆' | '◇' | '●') {
            return false;
        }
        for dy in 0..h {
            for dx in 0..w {
                self.mix(x + dx, y + dy, colour, inside(dx, dy));
            }
        }
        true
    }
}

/// Returns a poster as PNG, and the characters that its font lacks.
///
/// # Errors
///
/// A font or the encoder fails; both are part of the program.
pub fn png(poster: &Poster) -> io::Result<(Vec<u8>, Vec<char>)> {
    let font = |bytes| FontRef::try_from_slice(bytes).map_err(io::Error::other);
    let fonts = [font(REGULAR)?, font(BOLD)?];
    let (width, height) = (poster.width * CELL.0, poster.height() * CELL.1 + 2 * PAD);
    let bytes = BACKGROUND.repeat(width * height);
    let mut pixels = Pixels { width, bytes };
    let mut missing = vec![];
    for y in 0..poster.height() {
        for run in poster.runs(y) {
            let mut x = run.x * CELL.0;
            let colour = colour(run.ink);
            for c in run.text.chars() {
                let cells = unicode_width::UnicodeWidthChar::width(c).unwrap_or(0);
                let place = (x, PAD + y * CELL.1);
                if !c.is_whitespace()
                    && !pixels.shape(c, place, colour)
                    && !letter(&mut pixels, &fonts[usize::from(run.bold)], c, place, colour)
                    && !missing.contains(&c)
                {
                    missing.push(c);
                }
                x += cells * CELL.0;
            }
        }
    }
    let mut file = vec![];
    let mut encoder = ::png::Encoder::new(&mut file, width as u32, height as u32);
    encoder.set_color(::png::ColorType::Rgb);
    encoder.set_depth(::png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(io::Error::other)?;
    writer.write_image_data(&pixels.bytes).map_err(io::Error::other)?;
    writer.finish().map_err(io::Error::other)?;
    Ok((file, missing))
}

/// Draws a letter; returns false if the font lacks it.
fn letter(
    pixels: &mut Pixels,
    font: &FontRef<'_>,
    c: char,
    (x, y): (usize, usize),
    colour: [u8; 3],
) -> bool {
    let glyph = font.glyph_id(c);
    if glyph.0 == 0 {
        return false;
    }
    let units = font.units_per_em().unwrap_or(2048.0);
    let scale = EM * font.height_unscaled() / units;
    let scaled = font.as_scaled(scale);
    let baseline = y as f32 + (CELL.1 as f32 - scaled.height()) / 2.0 + scaled.ascent();
    let glyph = glyph.with_scale_and_position(scale, ab_glyph::point(x as f32, baseline));
    if let Some(outline) = font.outline_glyph(glyph) {
        let bounds = outline.px_bounds();
        let (left, top) = (bounds.min.x.max(0.0) as usize, bounds.min.y.max(0.0) as usize);
        outline.draw(|dx, dy, share| {
            pixels.mix(left + dx as usize, top + dy as usize, colour, share);
        });
    }
    true
}

/// Writes the poster of a document as PNG.
pub fn png_file(
    document: &Document,
    columns: u16,
    rows: u16,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (file, missing) = png(&document_poster(document, columns, rows))?;
    if !missing.is_empty() {
        let missing: Vec<String> = missing.iter().map(char::to_string).collect();
        let missing = missing.join(" ");
        return Err(io::Error::other(format!(
            "the font of pictures lacks: {missing}; use --format svg or ans"
        )));
    }
    out.write_all(&file)
}

/// Writes the poster of a document as text with colours for terminals.
pub fn ansi_file(
    document: &Document,
    columns: u16,
    rows: u16,
    out: &mut dyn Write,
) -> io::Result<()> {
    let poster = document_poster(document, columns, rows);
    for y in 0..poster.height() {
        let mut x = 0;
        for run in poster.runs(y) {
            let [r, g, b] = colour(run.ink);
            let weight = if run.bold { "1;" } else { "" };
            write!(
                out,
                "{}\x1b[{weight}38;2;{r};{g};{b}m{}\x1b[0m",
                " ".repeat(run.x - x),
                run.text
            )?;
            x = run.x + run.width();
        }
        writeln!(out)?;
    }
    Ok(())
}
