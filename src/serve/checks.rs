//! Rules for each request: its host, its origin, the commands of a page, and the headers of each response.

use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use std::net::{IpAddr, SocketAddr};

/// Policy of the page: its own files, and requests to its own server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Headers of each response.
pub const HEADERS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Names by which browsers reach the server. A page of another site that resolves to this address has another name.
#[derive(Clone, Debug)]
pub struct Names {
    address: SocketAddr,
    /// Authority of the public address, behind a reverse proxy.
    public: Option<String>,
}

/// Reason why a request is not for this server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misdirected {
    /// The host is another one.
    Host,
    /// A page of another site sends it.
    Origin,
}

impl Names {
    /// Names of an address, and of a public address such as `https://talk.example.org`.
    pub fn new(address: SocketAddr, public: Option<&str>) -> Names {
        let authority = |url: &str| url.split_once("://").map(|(_, rest)| rest.to_owned());
        Names { address, public: public.and_then(authority) }
    }

    /// Checks host and origin. Of each there may be one, and an address in the request line must be the same.
    pub fn check(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<(), Misdirected> {
        let is_single = |name| headers.get_all(name).iter().nth(1).is_none();
        let host = text(headers.get(header::HOST)).ok_or(Misdirected::Host)?;
        let is_same = uri.authority().is_none_or(|own| own.as_str().eq_ignore_ascii_case(host));
        if !self.is_own(host) || !is_same || !is_single(header::HOST) {
            return Err(Misdirected::Host);
        }
        if !is_single(header::ORIGIN) {
            return Err(Misdirected::Origin);
        }
        match (headers.get(header::ORIGIN), *method == Method::POST) {
            (None, false) => Ok(()),
            (None, true) => Err(Misdirected::Origin),
            (origin, _) => {
                let origin = text(origin).and_then(|origin| origin.split_once("://"));
                let scheme = |scheme: &str| matches!(scheme, "http" | "https");
                match origin {
                    Some((by, of)) if scheme(by) && of.eq_ignore_ascii_case(host) => Ok(()),
                    _ => Err(Misdirected::Origin),
                }
            }
        }
    }

    /// Returns whether a host is this server. Its port may differ: a tunnel has its own.
    fn is_own(&self, host: &str) -> bool {
        if self.public.as_deref().is_some_and(|public| public.eq_ignore_ascii_case(host)) {
            return true;
        }
        let name = match host.rsplit_once(':') {
            Some((name, port)) if !name.is_empty() && port.parse::<u16>().is_ok() => name,
            _ => host,
        };
        let own = self.address.ip();
        let named = name.trim_start_matches('[').trim_end_matches(']');
        match named.parse::<IpAddr>() {
            Ok(ip) => ip == own || (own.is_loopback() && ip.is_loopback()),
            Err(_) => own.is_loopback() && name.eq_ignore_ascii_case("localhost"),
        }
    }
}

fn text(value: Option<&HeaderValue>) -> Option<&str> {
    value?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(address: &str, method: Method, host: &str, origin: &str) -> Result<(), Misdirected> {
        let names = Names::new(address.parse().unwrap(), Some("https://talk.example.org"));
        let mut headers = HeaderMap::new();
        for (name, value) in [(header::HOST, host), (header::ORIGIN, origin)] {
            if !value.is_empty() {
                headers.insert(name, value.parse().unwrap());
            }
        }
        names.check(&method, &Uri::from_static("/"), &headers)
    }

    #[test]
    fn only_its_own_names_reach_the_server() {
        let own = ["127.0.0.1:80", "localhost:8080", "LOCALHOST", "[::1]:80", "talk.example.org"];
        for host in own {
            assert_eq!(check("127.0.0.1:80", Method::GET, host, ""), Ok(()), "{host}");
        }
        for host in [
            "",
            "evil.example:80",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "talk.example.org:81",
            "192.168.1.5:80",
            "localhost:x",
            "x@127.0.0.1",
        ] {
            let refused = Err(Misdirected::Host);
            assert_eq!(check("127.0.0.1:80", Method::GET, host, ""), refused, "{host}");
        }
        assert_eq!(check("192.168.1.5:80", Method::GET, "192.168.1.5:80", ""), Ok(()));
        for host in ["localhost:80", "127.0.0.1:80", "192.168.1.6:80"] {
            let refused = Err(Misdirected::Host);
            assert_eq!(check("192.168.1.5:80", Method::GET, host, ""), refused, "{host}");
        }
    }

    #[test]
    fn a_page_of_another_site_sends_nothing() {
        let host = "127.0.0.1:80";
        for (origin, expected) in [
            ("http://127.0.0.1:80", Ok(())),
            ("https://127.0.0.1:80", Ok(())),
            ("", Err(Misdirected::Origin)),
            ("null", Err(Misdirected::Origin)),
            ("http://localhost:80", Err(Misdirected::Origin)),
            ("http://127.0.0.1:81", Err(Misdirected::Origin)),
            ("http://evil.example", Err(Misdirected::Origin)),
            ("file://127.0.0.1:80", Err(Misdirected::Origin)),
        ] {
            assert_eq!(check("127.0.0.1:80", Method::POST, host, origin), expected, "{origin}");
        }
        let other = check("127.0.0.1:80", Method::GET, host, "http://evil.example");
        assert_eq!(other, Err(Misdirected::Origin));
    }
}
