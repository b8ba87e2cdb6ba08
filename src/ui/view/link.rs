//! An address from somebody's words, looked at before anything opens it: shown whole on a page of its own, and refused
//! where it does not lead where it seems to.

use crate::text;
use crate::ui::view::page::{Page, Section};

/// The longest address that is opened, in bytes.
const LONGEST: usize = 2_048;

/// Returns an address alone, with what Enter would do.
pub fn page(address: &str) -> Page {
    let refused = refused(address);
    let told = match refused {
        Some(why) => format!("Not opened: {why}.  y copy  esc back"),
        None => "Enter open  y copy  esc back".into(),
    };
    let mut facts = vec![("address", text::line(address).into_owned())];
    facts.extend(host(address).map(|host| ("host", text::line(host).into_owned())));
    Page {
        title: "Link".into(),
        facts,
        parts: vec![Section { body: told, warns: refused.is_some(), ..Section::default() }],
        link: Some((address.to_owned(), refused.is_none())),
        ..Page::default()
    }
}

/// Returns where an address of the web leads, without a port.
fn host(address: &str) -> Option<&str> {
    let rest = address.strip_prefix("https://").or(address.strip_prefix("http://"))?;
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    Some(host.rsplit_once(':').map_or(host, |(host, _)| host))
}

/// Returns why an address is not opened, if it is not.
pub fn refused(address: &str) -> Option<&'static str> {
    let web = address.starts_with("https://") || address.starts_with("http://");
    let mail = address.starts_with("mailto:");
    let authority = address.split(['/', '?', '#']).nth(2).unwrap_or_default();
    let shown = |c: char| c.is_ascii_graphic() && !"\\\"'`<>^{}|$;".contains(c);
    match () {
        () if !web && !mail => Some("not a web or mail address"),
        () if address.len() > LONGEST => Some("too long to check"),
        () if !address.is_ascii() => Some("contains look-alike letters"),
        () if !address.chars().all(shown) => {
            Some("contains characters that do not belong in an address")
        }
        () if web && authority.contains('@') => Some("the part before @ hides the real host"),
        () if web && host(address).is_none_or(str::is_empty) => Some("no host"),
        () if mail && address.contains('?') => Some("it would prefill the message"),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_leads_where_it_seems_to_is_opened() {
        for (address, opened) in [
            ("https://a.example/b?c=d&e=%20f#g", true),
            ("http://127.0.0.1:8080/", true),
            ("https://[::1]:80/", true),
            ("mailto:me@a.example", true),
            ("mailto:me@a.example?attach=/etc/passwd", false),
            ("https://good.example@evil.example/", false),
            ("https://\u{430}.example/", false),
            ("https:///nowhere", false),
            ("file:///etc/passwd", false),
            ("javascript:alert(1)", false),
            ("-e", false),
            ("https://a.example/$(id);x", false),
            ("https://a.example/\u{202e}", false),
        ] {
            assert_eq!(refused(address).is_none(), opened, "{address}");
        }
        assert_eq!(host("https://good.example:80/x"), Some("good.example"));
    }
}
