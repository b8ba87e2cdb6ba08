//! Requirements of every theme, and reports of faults.

use crate::ui::theme::*;
use ratatui::style::{Color, Modifier};

/// Minimum contrast of text, and of lines without information.
const WORDS: f64 = 4.5;
const LINES: f64 = 3.0;
/// Backgrounds of common terminals, on which a theme without its own background must be readable.
const DARK: [&str; 5] = ["#000000", "#101014", "#1e1e1e", "#282828", "#2e3440"];
const LIGHT: [&str; 4] = ["#ffffff", "#fafafa", "#fbf1c7", "#eff1f5"];

/// Backgrounds behind text.
const GROUNDS: [ThemeRole; 4] =
    [ThemeRole::Background, ThemeRole::Overlay, ThemeRole::MessageGround, ThemeRole::CodeGround];
/// Minimum contrast of colours that are used on every background, dark and light.
const EVERYWHERE: f64 = 3.0;

/// Relative luminance, as defined by the accessibility guidelines.
fn luminance(colour: Color) -> f64 {
    let Color::Rgb(r, g, b) = colour else { panic!("{colour:?} is no fixed colour") };
    let [r, g, b] = [r, g, b].map(|c| {
        let c = f64::from(c) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

fn contrast(a: Color, b: Color) -> f64 {
    let a = luminance(a);
    let b = luminance(b);
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn every_word_can_be_read_on_its_ground() {
    let shelf = ThemeLibrary::default();
    for name in shelf.names() {
        if shelf.meta(name).unwrap().appearance == Appearance::Any {
            continue;
        }
        let words = if name.starts_with("high-contrast") { 7.0 } else { WORDS };
        let theme = shelf.theme(name, None, Depth::True).unwrap();
        let mut worst = (f64::MAX, "");
        for ground in GROUNDS {
            for (role, key, _) in ROLES.iter().filter(|(role, ..)| !GROUNDS.contains(role)) {
                let style = theme.style(*role);
                let ground = style.bg.or(theme.style(ground).bg).unwrap();
                let found = contrast(style.fg.unwrap(), ground);
                let line = matches!(role, ThemeRole::Rule | ThemeRole::TimeRest);
                let least = if line { LINES } else { words };
                assert!(found >= least, "{name}: {key} has {found:.2}:1 on {ground}");
                if !line && found < worst.0 {
                    worst = (found, key);
                }
            }
        }
        println!("{name:22} worst {:.1}:1 ({})", worst.0, worst.1);
    }
}

#[test]
fn the_terminals_own_ground_is_read_on_as_well() {
    let shelf = ThemeLibrary::default();
    for (ground, colours) in [(Ground::Dark, &DARK[..]), (Ground::Light, &LIGHT[..])] {
        let theme = shelf.theme("terminal", Some(ground), Depth::True).unwrap();
        let line = theme.style(ThemeRole::Rule).fg.unwrap();
        let least = |colour: Color| if colour == line { LINES } else { WORDS };
        let shown = theme.styles.iter().filter_map(|s| s.fg).filter(|c| *c != Color::Reset);
        for (word, ground) in shown.flat_map(|w| colours.iter().map(move |g| (w, g))) {
            let found = contrast(word, ground.parse().unwrap());
            assert!(found >= least(word), "{word} has {found:.2}:1 on {ground}");
        }
        let own = theme.style(ThemeRole::MessageGround).bg.unwrap();
        for word in theme.styles.iter().filter_map(|s| s.fg).filter(|c| *c != Color::Reset) {
            let found = contrast(word, own);
            assert!(found >= least(word), "{word} has {found:.2}:1 in a message");
        }
        let faint = contrast(line, colours[0].parse().unwrap());
        let text = contrast(theme.style(ThemeRole::Muted).fg.unwrap(), colours[0].parse().unwrap());
        assert!(faint < text, "a rule is fainter than any text: {faint:.2}:1");
    }
}

#[test]
fn where_the_ground_is_unknown_colours_do_on_every_one() {
    let theme = ThemeLibrary::default().theme("terminal", None, Depth::True).unwrap();
    let shown = theme.styles.iter().filter_map(|s| s.fg).filter(|c| *c != Color::Reset);
    for (word, ground) in shown.flat_map(|w| DARK.iter().chain(&LIGHT).map(move |g| (w, g))) {
        let found = contrast(word, ground.parse().unwrap());
        assert!(found >= EVERYWHERE, "{word} has {found:.2}:1 on {ground}");
    }
    let states = [ThemeRole::FloorSpeaking, ThemeRole::FloorPaused, ThemeRole::FloorError];
    for depth in [Depth::Indexed, Depth::True] {
        let theme = ThemeLibrary::default().theme("terminal", None, depth).unwrap();
        let looks = states.map(|role| theme.style(role).fg.unwrap());
        let differ = (1..3).all(|i| !looks[..i].contains(&looks[i]));
        assert!(differ && !looks.contains(&Color::Reset), "{depth:?}: {looks:?}");
        let names = SPEAKERS.map(|role| theme.style(role));
        assert!((1..8).all(|i| !names[..i].contains(&names[i])), "{depth:?}: {names:?}");
    }
}

/// One of the 16 colours as shown by xterm; in bold, many terminals make it brighter.
fn of_xterm(colour: Color, bold: bool) -> Color {
    let (normal, bright) = match colour {
        Color::Red => ((205, 0, 0), (255, 0, 0)),
        Color::Green => ((0, 205, 0), (0, 255, 0)),
        Color::Yellow => ((205, 205, 0), (255, 255, 0)),
        Color::Blue => ((0, 0, 238), (92, 92, 255)),
        Color::Magenta => ((205, 0, 205), (255, 0, 255)),
        Color::Cyan => ((0, 205, 205), (0, 255, 255)),
        Color::DarkGray => ((127, 127, 127), (127, 127, 127)),
        Color::LightRed => ((255, 0, 0), (255, 0, 0)),
        Color::LightBlue => ((92, 92, 255), (92, 92, 255)),
        Color::LightMagenta => ((255, 0, 255), (255, 0, 255)),
        other => panic!("{other:?} is not in the theme"),
    };
    let (r, g, b) = if bold { bright } else { normal };
    Color::Rgb(r, g, b)
}

#[test]
fn sixteen_colours_can_be_read_on_black_and_on_white() {
    let shelf = ThemeLibrary::default();
    let dark = Color::Rgb(0, 0, 0);
    let light = Color::Rgb(255, 255, 255);
    for (known, grounds) in [
        (None, &[dark, light][..]),
        (Some(Ground::Dark), &[dark][..]),
        (Some(Ground::Light), &[light][..]),
    ] {
        let theme = shelf.theme("terminal", known, Depth::Ansi).unwrap();
        let shown = theme.styles.iter().filter_map(|s| s.fg).filter(|c| *c != Color::Reset);
        for (colour, bold) in shown.flat_map(|colour| [(colour, false), (colour, true)]) {
            for ground in grounds {
                let found = contrast(of_xterm(colour, bold), *ground);
                assert!(found >= EVERYWHERE, "{known:?}: {colour} has {found:.2}:1 on {ground}");
            }
        }
    }
}

/// With 16 colours, the first participants have hues that no state has, and a hue is used before white and grey.
#[test]
fn participants_have_hues_first_and_those_of_no_state_before_others() {
    let shelf = ThemeLibrary::default();
    let hues = [(None, 2, 3), (Some(Ground::Dark), 3, 6), (Some(Ground::Light), 2, 3)];
    for (ground, own, all) in hues {
        let theme = shelf.theme("terminal", ground, Depth::Ansi).unwrap();
        let roles = [
            ThemeRole::FloorSpeaking,
            ThemeRole::FloorPaused,
            ThemeRole::FloorStopped,
            ThemeRole::FloorDone,
            ThemeRole::FloorError,
            ThemeRole::Notice,
        ];
        let states: Vec<_> =
            roles.iter().filter_map(|role| in_bold(theme.style(*role)).fg).collect();
        for place in 0..all {
            let colour = in_bold(theme.speaker(place)).fg.unwrap();
            let is_hue = ![Color::Reset, Color::DarkGray, Color::White].contains(&colour);
            assert!(is_hue, "{ground:?}, {place}: {colour:?}");
            assert!(place >= own || !states.contains(&colour), "{ground:?}, {place}: {colour:?}");
        }
        assert!(states.iter().any(|hue| *hue != Color::Reset), "an error has a hue: {ground:?}");
    }
}

/// Times, hints and models are fainter than text; the terminal's own colour is dimmed.
#[test]
fn secondary_text_of_the_terminal_theme_looks_secondary() {
    let shelf = ThemeLibrary::default();
    for ground in [None, Some(Ground::Dark), Some(Ground::Light)] {
        for depth in [Depth::Ansi, Depth::Indexed, Depth::True] {
            let theme = shelf.theme("terminal", ground, depth).unwrap();
            let style = theme.style(ThemeRole::HintText);
            let is_dim = style.add_modifier.contains(Modifier::DIM);
            let is_own = style.fg.is_none_or(|colour| colour == Color::Reset);
            assert_eq!(is_dim, is_own, "{ground:?} {depth:?}: {style:?}");
        }
    }
}

#[test]
fn a_table_of_fifty_is_not_fifty_underlines() {
    let theme = ThemeLibrary::default().theme("terminal", None, Depth::True).unwrap();
    let underlined = |place| theme.speaker(place).add_modifier.contains(Modifier::UNDERLINED);
    assert!((0..50).all(|place| !underlined(place)));
    assert_ne!(theme.speaker(0), theme.speaker(8));
}

#[test]
fn where_colours_are_few_the_next_attribute_begins_when_they_are_used_up() {
    let shelf = ThemeLibrary::default();
    for (ground, colours) in [(None, 5), (Some(Ground::Dark), 7), (Some(Ground::Light), 5)] {
        let theme = shelf.theme("terminal", ground, Depth::Ansi).unwrap();
        // the look of a name in bold: colour and attributes
        let seen: Vec<_> = (0..4 * colours)
            .map(|place| {
                let style = theme.speaker(place);
                let colour = style.fg.filter(|fg| *fg != Color::Reset);
                (colour.map(|fg| of_xterm(fg, true)), style.add_modifier)
            })
            .collect();
        let twice = (1..seen.len()).find(|i| seen[..*i].contains(&seen[*i]));
        assert_eq!(twice, None, "{ground:?}: {seen:?}");
        let plain = seen.iter().position(|(_, with)| with.contains(Modifier::ITALIC));
        assert_eq!(plain, Some(colours), "{ground:?}: {seen:?}");
        let underlined = seen.iter().position(|(_, with)| with.contains(Modifier::UNDERLINED));
        assert_eq!(underlined, Some(2 * colours), "{ground:?}: {seen:?}");
    }
}

#[test]
fn mono_has_no_colour() {
    let theme = ThemeLibrary::default().theme("mono", Some(Ground::Dark), Depth::True).unwrap();
    assert!(theme.styles.iter().all(|s| s.fg.is_none() && s.bg.is_none()));
}

#[test]
fn seats_next_to_each_other_differ() {
    let shelf = ThemeLibrary::default();
    for name in shelf.names() {
        for depth in [Depth::Indexed, Depth::True] {
            let theme = shelf.theme(name, None, depth).unwrap();
            let speakers = SPEAKERS.map(|role| theme.style(role));
            let same = (1..8).filter(|i| speakers[..*i].contains(&speakers[*i])).count();
            assert!(same == 0 || name == "mono", "{name}: {speakers:?}");
        }
    }
}

fn own(name: &str, text: &str) -> ThemeSource {
    ThemeSource { name: name.into(), path: format!("{name}.toml"), text: text.to_owned().into() }
}

const META: &str = "[meta]\nname = \"x\"\nappearance = \"dark\"\n";

#[test]
fn fault_names_the_line_and_a_fix() {
    for (text, words) in [
        ("[roles]\ntitel = \"red\"", "x.toml:5:9: unknown role `titel`; the nearest is `title`"),
        ("[roles]\ntitle = \"rouge\"", "x.toml:5:9: role `title`: not a colour: `rouge`; use"),
        ("[roles]\ntitle = { blink = true }", "x.toml:5:9: role `title`: unknown key `blink`"),
        ("[roles]\ntitle = 3", "x.toml:5:9: role `title`: a colour is a string"),
        ("[palette]\nink = \"#12345\"", "x.toml:5:7: not a colour: `#12345`"),
        ("inherits = \"nrod\"", "x.toml:4:12: unknown theme `nrod`; the nearest is `nord`"),
        ("inherits = \"x\"", "x.toml:4:12: a theme can inherit through at most 8 others"),
        ("[colours]", "x.toml:4:2: unknown field `colours`"),
        ("[roles", "x.toml:4:7: "),
    ] {
        let shelf = ThemeLibrary::with(vec![own("x", &format!("{META}{text}"))]);
        let fault = shelf.theme("x", None, Depth::True).unwrap_err().to_string();
        assert!(fault.starts_with(words), "{fault}");
    }
}

#[test]
fn palette_recolours_inherited_roles() {
    let text = format!("{META}inherits = \"nord\"\n[palette]\nink = \"#ffeedd\"\n");
    let shelf = ThemeLibrary::with(vec![own("x", &text)]);
    let theme = shelf.theme("x", None, Depth::True).unwrap();
    assert_eq!(theme.style(ThemeRole::Text).fg, Some(Color::Rgb(255, 238, 221)));
    let nord = shelf.theme("nord", None, Depth::True).unwrap();
    assert_eq!(theme.style(ThemeRole::Background), nord.style(ThemeRole::Background));
}

#[test]
fn a_role_stands_after_the_one_it_falls_back_to() {
    for (i, (role, _, fallback)) in ROLES.iter().enumerate() {
        assert_eq!(*role as usize, i);
        assert!(fallback.is_none_or(|f| (f as usize) < i), "{role:?}");
    }
}
