//! Colours of a terminal: unchanged, or the perceptually nearest of its 256.

use ratatui::style::Color;
use std::sync::LazyLock;

/// The colour depth of a terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// The 16 colours of the terminal's palette.
    Ansi,
    /// The fixed palette of 256 colours.
    Indexed,
    /// 24-bit colours.
    #[default]
    True,
}

impl Depth {
    /// Returns the displayable colour; with 16 colours, a fixed colour becomes the terminal's default.
    pub fn shown(self, colour: Color) -> Color {
        match (self, colour) {
            (Depth::Indexed, Color::Rgb(r, g, b)) => Color::Indexed(nearest([r, g, b])),
            (Depth::Ansi, Color::Rgb(..)) => Color::Reset,
            (_, colour) => colour,
        }
    }
}

/// First index of the colour cube, and the levels of its channels.
const CUBE: (u8, [u8; 6]) = (16, [0, 95, 135, 175, 215, 255]);
/// First index of the greys.
const GREYS: u8 = 232;

/// Cube and greys in OKLab, computed once, because a theme looks up many of them before the first frame.
static PALETTE: LazyLock<Vec<(u8, [f32; 3])>> = LazyLock::new(|| {
    let (first, steps) = CUBE;
    let cube = (0..216u8).map(|i| {
        let step = |n: u8| steps[usize::from(n % 6)];
        (first + i, [step(i / 36), step(i / 6), step(i)])
    });
    let greys = (0..24u8).map(|i| (GREYS + i, [8 + 10 * i; 3]));
    cube.chain(greys).map(|(index, rgb)| (index, oklab(rgb))).collect()
});

fn nearest(rgb: [u8; 3]) -> u8 {
    let wanted = oklab(rgb);
    let distance =
        |seen: &[f32; 3]| -> f32 { seen.iter().zip(wanted).map(|(a, b)| (a - b) * (a - b)).sum() };
    let distances = PALETTE.iter().map(|(index, seen)| (index, distance(seen)));
    let near = distances.min_by(|(_, a), (_, b)| a.total_cmp(b));
    near.map_or(CUBE.0, |(index, _)| *index)
}

/// Converts to Björn Ottosson's OKLab, in which distances match perception.
fn oklab(rgb: [u8; 3]) -> [f32; 3] {
    let linear = |c: u8| {
        let c = f32::from(c) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    let [r, g, b] = rgb.map(linear);
    let l = (0.412_221_46 * r + 0.536_332_55 * g + 0.051_445_995 * b).cbrt();
    let m = (0.211_903_5 * r + 0.680_699_5 * g + 0.107_396_96 * b).cbrt();
    let s = (0.088_302_46 * r + 0.281_718_85 * g + 0.629_978_7 * b).cbrt();
    [
        0.210_454_26 * l + 0.793_617_8 * m - 0.004_072_047 * s,
        1.977_998_5 * l - 2.428_592_2 * m + 0.450_593_7 * s,
        0.025_904_037 * l + 0.782_771_77 * m - 0.808_675_77 * s,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_of_256_colours_is_perceptual() {
        for (rgb, index) in
            [([0, 0, 0], 16), ([255, 255, 255], 231), ([255, 0, 0], 196), ([128, 128, 128], 244)]
        {
            assert_eq!(nearest(rgb), index, "{rgb:?}");
        }
        assert_eq!(Depth::True.shown(Color::Rgb(1, 2, 3)), Color::Rgb(1, 2, 3));
        assert_eq!(Depth::Ansi.shown(Color::Red), Color::Red);
    }
}
