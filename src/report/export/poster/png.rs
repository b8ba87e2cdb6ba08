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

    /// Draws a mark of the cell at a pixel; returns whether the character is one.
    fn mark(&mut self, c: char, x: usize, y: usize, colour: [u8; 3]) -> bool {
        if !"◆◇●".contains(c) {
            return false;
        }
        let (w, h) = CELL;
        for (dy, dx) in (0..h).flat_map(|dy| (0..w).map(move |dx| (dy, dx))) {
            let (rx, ry) = (dx as f32 - w as f32 / 2.0 + 0.5, dy as f32 - h as f32 / 2.0 + 0.5);
            let far = rx.abs() + ry.abs();
            let share = match c {
                '◆' => 5.0 - far,
                '◇' => (5.0 - far).min(far - 2.6),
                _ => 4.6 - rx.hypot(ry),
            };
            self.mix(x + dx, y + dy, colour, share);
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
                let strokes = poster.strokes(x / CELL.0, y);
                for [dx, dy, width, height] in &strokes {
                    let rows = (0..*height).flat_map(|row| (0..*width).map(move |at| (at, row)));
                    rows.for_each(|(at, row)| pixels.mix(x + dx + at, top + dy + row, colour, 1.0));
                }
                let is_drawn = pixels.mark(c, x, top, colour) || !strokes.is_empty();
                if !c.is_whitespace()
                    && !is_drawn
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
