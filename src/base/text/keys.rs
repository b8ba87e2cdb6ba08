//! Removes providers' API keys from every text that is shown or written: the last stage of every sink.
//!
//! A server may echo a key, a person paste one, a script print one: no known key may reach a terminal or a file. So the
//! code that creates a key (`model::Secret`) registers it here, once for the whole process, and no sink can forget it.
//! Keys are matched literally and in common encodings: base64, hex, percent, JSON. Unregistered keys are unknown, and
//! keys so short that ordinary words would match are ignored.

use memchr::memmem::Finder;
use parking_lot::RwLock;
use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;

/// Shorter keys, in bytes, are ignored: they would match ordinary words.
const KEY_MIN_BYTES: usize = 12;
/// Replacement of a key.
const INSTEAD: &str = "***";
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// Characters that no encoding escapes.
const UNRESERVED: &[u8] = b"-._~";

/// All forms of all keys; replaced as a whole when a key is added.
static KEPT: RwLock<Option<Arc<Forms>>> = RwLock::new(None);

/// Forms of keys, longest first, so that a form inside another is replaced with it.
struct Forms {
    finders: Vec<Finder<'static>>,
    /// First bytes of the forms.
    begins: [bool; 256],
}

impl Forms {
    fn new(mut forms: Vec<Vec<u8>>) -> Forms {
        forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        forms.dedup();
        let mut begins = [false; 256];
        for first in forms.iter().filter_map(|form| form.first()) {
            begins[usize::from(*first)] = true;
        }
        let finders = forms.iter().map(|form| Finder::new(form).into_owned()).collect();
        Forms { finders, begins }
    }

    fn hide<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for finder in &self.finders {
            if finder.find(text.as_bytes()).is_some()
                && let Ok(form) = std::str::from_utf8(finder.needle())
            {
                text = Cow::Owned(text.replace(form, INSTEAD));
            }
        }
        text
    }

    /// Returns the start of the longest suffix that may become a key.
    fn open_end(&self, text: &str) -> usize {
        let bytes = text.as_bytes();
        let longest = self.finders.first().map_or(0, |f| f.needle().len());
        let from = bytes.len().saturating_sub(longest.saturating_sub(1));
        let opens = |at: &usize| {
            self.begins[usize::from(bytes[*at])]
                && self.finders.iter().any(|f| f.needle().starts_with(&bytes[*at..]))
        };
        // a form is ASCII or begins with the first character of the key, so this is a character boundary
        (from..bytes.len()).find(opens).unwrap_or(bytes.len())
    }
}

fn kept() -> Option<Arc<Forms>> {
    KEPT.read().clone()
}

/// Registers a key, unless it is too short to be a secret.
pub fn keep_out(key: &str) {
    let mut kept = KEPT.write();
    let known = |forms: &Arc<Forms>| forms.finders.iter().any(|f| f.needle() == key.as_bytes());
    if key.len() < KEY_MIN_BYTES || kept.as_ref().is_some_and(known) {
        return;
    }
    let before = kept.iter().flat_map(|forms| &forms.finders).map(|f| f.needle().to_vec());
    *kept = Some(Arc::new(Forms::new(before.chain(forms_of(key)).collect())));
}

/// Returns a text without any key.
pub fn without_keys(text: &str) -> Cow<'_, str> {
    kept().map_or(Cow::Borrowed(text), |forms| match forms.hide(text) {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        Cow::Owned(clean) => Cow::Owned(clean),
    })
}

/// Removes keys from text that arrives in pieces; holds back a possible beginning of a key.
#[derive(Default)]
pub struct KeyRedactor {
    held: String,
}

impl KeyRedactor {
    /// Adds a piece; returns the text that is certainly not part of a key.
    pub fn push(&mut self, piece: &str) -> String {
        let Some(forms) = kept() else { return std::mem::take(&mut self.held) + piece };
        self.held.push_str(piece);
        let mut certain = forms.hide(&self.held).into_owned();
        let open = forms.open_end(&certain);
        self.held = certain.split_off(certain.floor_char_boundary(open));
        certain
    }

    /// Returns the held-back text, at the end of the stream.
    pub fn finish(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

/// Returns the forms in which a key may be repeated.
fn forms_of(key: &str) -> Vec<Vec<u8>> {
    let bytes = key.as_bytes();
    let each = |spell: fn(u8) -> String| bytes.iter().map(|b| spell(*b)).collect::<String>();
    let units = |upper: bool| {
        key.encode_utf16().fold(String::new(), |mut all, unit| {
            // writing into a string cannot fail
            let _ = if upper { write!(all, "\\u{unit:04X}") } else { write!(all, "\\u{unit:04x}") };
            all
        })
    };
    let mut forms = vec![
        key.to_owned(),
        each(|b| format!("{b:02x}")),
        each(|b| format!("{b:02X}")),
        each(|b| format!("%{b:02x}")),
        each(|b| format!("%{b:02X}")),
        each(|b| {
            if b.is_ascii_alphanumeric() || UNRESERVED.contains(&b) {
                char::from(b).to_string()
            } else {
                format!("%{b:02X}")
            }
        }),
        units(false),
        units(true),
    ];
    for shift in 0..3 {
        let base64 = base64_within(bytes, shift);
        forms.push(base64.replace('+', "-").replace('/', "_"));
        forms.push(base64);
    }
    // each of them as a JSON string, and as one inside another
    for _ in 0..2 {
        let escaped: Vec<String> =
            forms.iter().map(|f| f.replace('\\', "\\\\").replace('"', "\\\"")).collect();
        forms.extend(escaped);
    }
    forms.into_iter().map(String::into_bytes).collect()
}

/// Returns the base64 characters determined by the key alone, with `shift` bytes before it in its group of three.
fn base64_within(key: &[u8], shift: usize) -> String {
    let bytes: Vec<u8> = std::iter::repeat_n(0, shift).chain(key.iter().copied()).collect();
    let first = (shift * 8).div_ceil(6);
    let signs = (bytes.len() * 8) / 6;
    (first..signs)
        .map(|at| {
            let bit = at * 6;
            let pair = |i: usize| u16::from(bytes.get(i).copied().unwrap_or(0));
            let window = pair(bit / 8) << 8 | pair(bit / 8 + 1);
            char::from(BASE64[usize::from((window >> (10 - bit % 8)) & 0x3f)])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-unit/canary+7f3a\"9";

    /// Forms as other programs produce them.
    const CASES: [&str; 13] = [
        "sk-unit/canary+7f3a\"9",
        "c2stdW5pdC9jYW5hcnkrN2YzYSI5",
        "QmVhcmVyIHNrLXVuaXQvY2FuYXJ5KzdmM2EiOQ==",
        "dXNlcjpzay11bml0L2NhbmFyeSs3ZjNhIjk=",
        "eHg6c2stdW5pdC9jYW5hcnkrN2YzYSI5",
        "dXNlcjpzay11bml0L2NhbmFyeSs3ZjNhIjk",
        "736b2d756e69742f63616e6172792b376633612239",
        "736B2D756E69742F63616E6172792B376633612239",
        "sk-unit%2Fcanary%2B7f3a%229",
        r#"sk-unit/canary+7f3a\\\"9"#,
        r#"sk-unit/canary+7f3a\"9"#,
        r"\u0073\u006b\u002d\u0075\u006e\u0069\u0074\u002f\u0063\u0061\u006e\u0061\u0072\u0079\u002b\u0037\u0066\u0033\u0061\u0022\u0039",
        r"\\u0073\\u006b\\u002d\\u0075\\u006e\\u0069\\u0074\\u002f\\u0063\\u0061\\u006e\\u0061\\u0072\\u0079\\u002b\\u0037\\u0066\\u0033\\u0061\\u0022\\u0039",
    ];

    #[test]
    fn a_key_goes_in_every_form_and_however_it_is_cut() {
        keep_out(KEY);
        keep_out("short");
        let mut cuts = 0;
        for form in CASES {
            let text = format!("before {form} after");
            let clean = without_keys(&text).into_owned();
            let rest = clean.strip_prefix("before ").and_then(|t| t.strip_suffix(" after"));
            let rest = rest.expect("what stands around a key stays");
            assert!(rest.contains(INSTEAD) && rest.len() <= 20, "{form}: {clean}");
            for cut in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
                let mut redactor = KeyRedactor::default();
                let parts =
                    [redactor.push(&text[..cut]), redactor.push(&text[cut..]), redactor.finish()];
                assert_eq!(parts.concat(), clean, "{form} cut at {cut}");
                cuts += 1;
            }
        }
        assert_eq!(without_keys("short words about sk-unit"), "short words about sk-unit");
        let mut redactor = KeyRedactor::default();
        let begun = redactor.push("it begins like sk-unit");
        assert_eq!(begun + &redactor.finish(), "it begins like sk-unit");
        println!("{} forms, {cuts} cuts", CASES.len());
    }
}
