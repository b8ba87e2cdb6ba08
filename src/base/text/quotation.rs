//! Tags of checked quotations: `<quote found="yes">`.

/// Name of the tag.
const TAG: &str = "quote";
/// Maximum number of bytes of a tag in a reply, so that a reply of brackets is read in linear time.
const TAG_MAX: usize = 200;

/// Returns a checked reply as its author wrote it: each tag of a quotation without attributes, in any case and spacing.
pub fn as_written(said: &str) -> String {
    let mut out = String::with_capacity(said.len());
    let mut rest = said;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        out.push_str(before);
        let inside = tag.get(1..).unwrap_or_default();
        let end = inside.bytes().take(TAG_MAX).position(|b| b == b'>' || b == b'<');
        let end = end.filter(|end| inside.as_bytes().get(*end) == Some(&b'>'));
        let named = end.and_then(|end| Some((end, tag_name(inside.get(..end)?)?)));
        match named {
            Some((end, name)) => {
                out.push_str(name);
                rest = inside.get(end + 1..).unwrap_or_default();
            }
            None => {
                out.push('<');
                rest = inside;
            }
        }
    }
    out.push_str(rest);
    out
}

/// Returns the plain form of a tag of a quotation from the text between its brackets; `None` for other tags.
fn tag_name(inside: &str) -> Option<&'static str> {
    let bare = inside.trim_start();
    let closes = bare.starts_with('/');
    let name = bare.trim_start_matches(['/', ' ']);
    let rest = name.get(TAG.len()..)?;
    let is_quote = name.get(..TAG.len())?.eq_ignore_ascii_case(TAG)
        && !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    is_quote.then_some(if closes { "</quote>" } else { "<quote>" })
}
