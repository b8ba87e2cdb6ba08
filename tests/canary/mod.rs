//! A fake API key that may appear only in its header, and the eight forms in which it could leak.

/// The fake key.
pub const KEY: &str = "sk-canary+7f3a/9b?5e~Q>";

/// Encoded forms of the key: name and text to search for.
pub const FORMS: [(&str, &str); 8] = [
    ("as it is", r"sk-canary+7f3a/9b?5e~Q>"),
    ("base64", r"c2stY2FuYXJ5KzdmM2EvOWI/NWV+UT4="),
    ("base64 behind `Bearer `", r"QmVhcmVyIHNrLWNhbmFyeSs3ZjNhLzliPzVlflE+"),
    ("base64 for addresses", r"c2stY2FuYXJ5KzdmM2EvOWI_NWV-UT4="),
    ("percent", r"sk-canary%2B7f3a%2F9b%3F5e~Q%3E"),
    (
        "percent, every byte",
        r"%73%6b%2d%63%61%6e%61%72%79%2b%37%66%33%61%2f%39%62%3f%35%65%7e%51%3e",
    ),
    (
        "JSON",
        r"\u0073\u006b\u002d\u0063\u0061\u006e\u0061\u0072\u0079\u002b\u0037\u0066\u0033\u0061\u002f\u0039\u0062\u003f\u0035\u0065\u007e\u0051\u003e",
    ),
    ("hex", r"736b2d63616e6172792b376633612f39623f35657e513e"),
];

/// Returns a text that contains the key in every form.
pub fn words() -> String {
    FORMS.iter().map(|(name, form)| format!("Here, {name}: {form} it was. ")).collect()
}

/// Asserts that some bytes contain no form of the key.
#[track_caller]
pub fn absent(bytes: &[u8], place: &str) {
    for (name, form) in FORMS {
        let found = bytes.windows(form.len()).any(|window| window == form.as_bytes());
        assert!(!found, "the key, {name}, in {place}");
    }
}
