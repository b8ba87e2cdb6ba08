//! A poster as pixels. Lines and signs are drawn as shapes, so that they join at every size; letters
//! come from a subset of DejaVu Sans Mono.

use super::canvas::Poster;
use super::signs::{BACKGROUND, CELL, colour};
use ab_glyph::{Font, FontRef, ScaleFont};
use std::io;

/// Pixels above and below the cells.
const PAD: usize = 5;
/// Em size at which a letter is as wide as a cell, in pixels.
const EM: f32 = 16.6;

const REGULAR: &[u8] = include_bytes!("../../assets/fonts/DejaVuSansMono.ttf");
const BOLD: &[u8] = include_bytes!("../../assets/fonts/DejaVuSansMono-Bold.ttf");

/// Pixels of a picture.
struct Pixels {
    width: usize,
    bytes: Vec<u8>,
}

impl Pixels {
    /// Mixes a colour into a pixel; `share` is from 0 to 1.
    fn mix(&mut self, x: usize, y: usize, colour: [u8; 3], share: f32) {
        let at = (y * self.width + x) * 3;
        if x >= self.width {
            return;
        }
        let Some(pixel) = self.bytes.get_mut(at..at + 3) else { return };
        for (old, new) in pixel.iter_mut().zip(colour) {
            let mixed =
                f32::from(*old) + (f32::from(new) - f32::from(*old)) * share.clamp(0.0, 1.0);
            *old = mixed.round() as u8;
        }
    }

    /// Draws a sign of the cell at a pixel if it is a line or a mark; returns whether it is one.
    fn shape(&mut self, c: char, x: usize, y: usize, colour: [u8; 3]) -> bool {
        let (w, h) = CELL;
        let (mx, my) = (w as f32 / 2.0 - 0.5, h as f32 / 2.0 - 0.5);
        let inside = |dx: usize, dy: usize| -> f32 {
            let (rx, ry) = (dx as f32 - mx, dy as f32 - my);
            let (row, column) = (ry.abs() <= 1.0, rx.abs() <= 1.0);
            let far = rx.abs() + ry.abs();
            let on = |is: bool| if is { 1.0 } else { 0.0 };
            match c {
                '━' | '─' => on(row),
                '╮' => on(row && rx <= 0.5 || ry >= -1.0 && rx.abs() <= 0.5),
                '╯' => on(row && rx <= 0.5 || ry <= 1.0 && rx.abs() <= 0.5),
                '┤' => on(row && rx <= 0.5 || rx.abs() <= 0.5),
                '│' => on(rx.abs() <= 0.5),
                '┃' => on(column),
                '┓' => on(row && rx <= 1.0 || column && ry >= -1.0),
                '┛' => on(row && rx <= 1.0 || column && ry <= 1.0),
                '◆' => (5.0 - far).clamp(0.0, 1.0),
                '◇' => (5.0 - far).clamp(0.0, 1.0) * (far - 2.6).clamp(0.0, 1.0),
                '●' => (4.6 - rx.hypot(ry)).clamp(0.0, 1.0),
                _ => 0.0,
            }
        };
        if !"━─╮╯┤│┃┓┛◆◇●".contains(c) {
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
                let top = PAD + y * CELL.1;
                if !c.is_whitespace()
                    && !pixels.shape(c, x, top, colour)
                    && !letter(&mut pixels, &fonts[usize::from(run.bold)], c, x, top, colour)
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
    x: usize,
    y: usize,
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
