//! The only module that opens sockets: an HTTP client for all remote servers, and listeners for local clients and for
//! clients over HTTP.
//!
//! The client follows no redirects, because a key belongs to one address. It keeps no cookies, requests no compression
//! (a compressed stream arrives in large blocks; a body in gzip is decoded all the same) and never retries. It knows nothing of models and sets only the
//! connect timeout; callers limit the duration of an answer. Dropping a future or a [`Response`] closes the connection.

mod error;
mod local;
mod resolver;
mod web;

pub use error::NetError;
pub use local::{LineFault, LocalPeer};
pub use local::{LineReader, LineWriter, LocalListener, LocalStream};
pub use web::{VisitLimits, WebListener, WebVisit, accept, network_address};

use crate::model::Secret;
use flate2::write::GzDecoder;
use parking_lot::Mutex;
use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Method, Url, redirect};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

/// `User-Agent` header.
const USER_AGENT: &str = concat!("colloquium/", env!("CARGO_PKG_VERSION"));

/// Maximum bytes that are decoded at once: a server may send a megabyte in each thousand of them.
const CODED_MAX: usize = 1_024;

/// HTTP client. Clones are cheap and share their connections.
#[derive(Clone, Default)]
pub struct Client {
    /// One client per route and connect timeout, because these cannot be set for each request.
    made: Arc<Mutex<BTreeMap<(Route, Duration), reqwest::Client>>>,
}

/// Network path to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Route {
    /// Server on this machine without TLS. No proxy is used, because it would resolve the name on its own host; no
    /// certificates are needed.
    Plain,
    /// Server on this machine with TLS.
    Direct,
    /// Any other server, through the system's proxy if there is one.
    Outside,
}

/// A request to send.
#[derive(Clone, Default)]
pub struct Ask {
    /// Complete URL.
    pub url: String,
    /// Headers without secrets.
    pub headers: Vec<(&'static str, &'static str)>,
    /// Headers chosen by a server.
    pub more: Vec<(String, String)>,
    /// Header with the key.
    pub key: Option<(Cow<'static, str>, Secret)>,
    /// JSON body of a `POST`; `None` for a `GET`.
    pub body: Option<String>,
    /// Connect timeout.
    pub connect: Duration,
}

/// A request with any method, headers and body.
pub struct ClientRequest {
    /// Complete URL.
    pub url: String,
    /// Method, in capital letters.
    pub method: String,
    /// Headers without secrets.
    pub headers: Vec<(String, String)>,
    /// Headers with the key.
    pub secrets: Vec<(String, Secret)>,
    pub body: Option<String>,
    /// Connect timeout.
    pub connect: Duration,
}

/// An answer whose head has arrived.
pub struct Response {
    response: reqwest::Response,
    /// Decoder of a body in gzip, which some servers and proxies send unasked, and its next bytes.
    gzip: Option<(GzDecoder<Vec<u8>>, Vec<u8>)>,
}

impl Client {
    /// Creates a client without connections.
    pub fn new() -> Client {
        Client::default()
    }

    /// Sends a request and waits for the head of the answer.
    ///
    /// # Errors
    /// If the address or a header is invalid, the connection is not open in time, or it breaks before the answer.
    pub async fn send(&self, ask: Ask) -> Result<Response, NetError> {
        let json = ask.body.is_some().then_some((CONTENT_TYPE.as_str(), "application/json"));
        let fixed = json.into_iter().chain(ask.headers);
        let fixed = fixed.map(|(name, value)| (name.to_owned(), value.to_owned()));
        self.request(ClientRequest {
            url: ask.url,
            method: if ask.body.is_some() { "POST" } else { "GET" }.to_owned(),
            headers: fixed.chain(ask.more).collect(),
            secrets: ask.key.map(|(name, key)| (name.into_owned(), key)).into_iter().collect(),
            body: ask.body,
            connect: ask.connect,
        })
        .await
    }

    /// Sends any request and waits for the head of the answer.
    ///
    /// # Errors
    /// If the address, the method or a header is invalid, the connection is not open in time, or it breaks before the
    /// answer.
    pub async fn request(&self, ask: ClientRequest) -> Result<Response, NetError> {
        let url = address(&ask.url)?;
        let client = self.client(route(&url), ask.connect)?;
        let method = Method::from_bytes(ask.method.as_bytes())
            .map_err(|_| NetError::Header(format!("method {}", ask.method)))?;
        let mut request = client.request(method, url);
        for (name, value) in ask.headers {
            let value =
                HeaderValue::from_str(&value).map_err(|_| NetError::Header(name.clone()))?;
            request = request.header(header_name(&name)?, value);
        }
        for (name, secret) in ask.secrets {
            let mut value =
                HeaderValue::from_str(secret.expose()).map_err(|_| NetError::KeySigns)?;
            value.set_sensitive(true);
            request = request.header(header_name(&name)?, value);
        }
        if let Some(body) = ask.body {
            request = request.body(body);
        }
        let response = request.send().await.map_err(|e| NetError::from_reqwest(&e))?;
        let response = Response { response, gzip: None };
        let is_gzip = response
            .header("content-encoding")
            .is_some_and(|coding| coding.eq_ignore_ascii_case("gzip"));
        Ok(Response { gzip: is_gzip.then(|| (GzDecoder::new(vec![]), vec![])), ..response })
    }

    fn client(&self, route: Route, connect: Duration) -> Result<reqwest::Client, NetError> {
        let mut made = self.made.lock();
        if let Some(client) = made.get(&(route, connect)) {
            return Ok(client.clone());
        }
        // an error means that this process already has a provider, which is sufficient
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = reqwest::Client::builder()
            .user_agent(USER_AGENT)
            .redirect(redirect::Policy::none())
            .connect_timeout(connect)
            .dns_resolver(resolver::Resolver);
        let builder = match route {
            // loading the system's certificates takes 10 ms, which would delay the first connection
            Route::Plain => for_this_machine(builder).tls_certs_only([]),
            Route::Direct => for_this_machine(builder),
            Route::Outside => builder,
        };
        let client = builder.build().map_err(|e| NetError::Setup(error::root(&e)))?;
        made.insert((route, connect), client.clone());
        Ok(client)
    }
}

/// Configures a client for servers on this machine: without a proxy, and without keep-alives, because the system knows
/// whether they are running.
fn for_this_machine(builder: reqwest::ClientBuilder) -> reqwest::ClientBuilder {
    let builder = builder.no_proxy().tcp_keepalive(None);
    builder.tcp_keepalive_interval(None).tcp_keepalive_retries(None)
}

impl Response {
    /// Returns the status code.
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// Returns a header if it is present and valid text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.response.headers().get(name)?.to_str().ok()
    }

    /// Returns all values of a header that are valid text.
    pub fn headers(&self, name: &str) -> Vec<&str> {
        let values = self.response.headers().get_all(name).iter();
        values.filter_map(|value| value.to_str().ok()).collect()
    }

    /// Waits for the next bytes of the body, decoded; returns `None` at its end. They may be empty.
    ///
    /// # Errors
    /// If the connection breaks before the end, or the body is not in its coding.
    pub async fn next(&mut self) -> Result<Option<impl AsRef<[u8]> + use<>>, NetError> {
        let mut chunk =
            async || self.response.chunk().await.map_err(|e| NetError::from_reqwest(&e));
        let Some((decoder, coded)) = &mut self.gzip else {
            return Ok(chunk().await?.map(Vec::from));
        };
        if coded.is_empty() {
            let Some(bytes) = chunk().await? else { return Ok(None) };
            coded.extend(bytes);
        }
        let part: Vec<u8> = coded.drain(..coded.len().min(CODED_MAX)).collect();
        let decoded = decoder.write_all(&part).and_then(|()| decoder.flush());
        decoded.map_err(|e| NetError::Broken(e.to_string()))?;
        Ok(Some(std::mem::take(decoder.get_mut())))
    }
}

/// Returns the host of a URL, with its port if it is not the default.
///
/// # Errors
/// If it is not a valid HTTP URL.
pub fn host(url: &str) -> Result<String, NetError> {
    let url = address(url)?;
    let host = url.host_str().unwrap_or_default();
    Ok(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

/// Returns the path of a URL, without its query; empty if it is not a valid HTTP URL.
pub fn path(url: &str) -> String {
    address(url).map(|url| url.path().to_owned()).unwrap_or_default()
}

/// Returns the scheme, host and port of a URL.
///
/// # Errors
/// If it is not a valid HTTP URL.
pub fn origin(url: &str) -> Result<String, NetError> {
    Ok(address(url)?.origin().ascii_serialization())
}

/// Returns the URL that a `Location` header of an answer from `base` names.
///
/// # Errors
/// If it is not a valid HTTP URL.
pub fn resolve(base: &str, location: &str) -> Result<String, NetError> {
    let url = address(base)?.join(location).map_err(|e| NetError::Address(e.to_string()))?;
    address(url.as_str()).map(String::from)
}

/// Returns the body of a form with these fields.
pub fn form<'a>(fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let Ok(mut url) = Url::parse("http://form") else { return String::new() };
    url.query_pairs_mut().extend_pairs(fields);
    url.query().unwrap_or_default().to_owned()
}

/// Escapes a text for a path or a query.
pub fn escape(text: &str) -> String {
    // a form spells a space as `+`, and a `+` as `%2B`
    form([(text, "")]).trim_end_matches('=').replace('+', "%20")
}

fn header_name(name: &str) -> Result<HeaderName, NetError> {
    name.parse().map_err(|_| NetError::Header(name.to_owned()))
}

/// Returns true if a URL names a server on this machine.
pub fn is_local(url: &str) -> bool {
    address(url).is_ok_and(|url| is_loopback(&url))
}

/// Returns true if a URL names a server on this machine or in a private network.
pub fn is_private(url: &str) -> bool {
    let Ok(url) = address(url) else { return false };
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let is_private = match host.parse::<std::net::IpAddr>() {
        Ok(std::net::IpAddr::V4(ip)) => {
            ip.is_private() || ip.is_link_local() || ip.is_unspecified()
        }
        Ok(std::net::IpAddr::V6(ip)) => {
            ip.is_unique_local() || ip.is_unicast_link_local() || ip.is_unspecified()
        }
        // names without a domain, and those of a local network
        Err(_) => !host.contains('.') || host.ends_with(".local") || host.ends_with(".lan"),
    };
    is_private || is_loopback(&url)
}

fn address(url: &str) -> Result<Url, NetError> {
    let url = Url::parse(url).map_err(|e| NetError::Address(e.to_string()))?;
    match url.scheme() {
        "http" | "https" if url.has_host() => Ok(url),
        _ => Err(NetError::Address("it must begin with http:// or https://".into())),
    }
}

fn route(url: &Url) -> Route {
    match url.scheme() {
        _ if !is_loopback(url) => Route::Outside,
        "http" => Route::Plain,
        _ => Route::Direct,
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost"
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_built_whoever_installed_the_provider_first() {
        let build = || Client::new().client(Route::Direct, Duration::from_secs(1)).map(drop);
        assert_eq!(build(), Ok(()));
        assert_eq!(build(), Ok(()));
    }

    #[test]
    fn only_this_machine_is_reached_without_a_proxy() {
        let check = |url: &str, expected: Route| {
            assert_eq!(route(&address(url).unwrap()), expected, "{url}");
            assert_eq!(is_local(url), expected != Route::Outside, "{url}");
        };
        check("http://127.0.0.1:8080/v1", Route::Plain);
        check("http://localhost:11434", Route::Plain);
        check("http://[::1]:1", Route::Plain);
        check("https://localhost:11434", Route::Direct);
        check("https://api.example.org/v1", Route::Outside);
        check("http://192.168.1.2:8080/v1", Route::Outside);
        check("https://localhost.example.org", Route::Outside);
        check("http://127.0.0.1.example.org", Route::Outside);
    }

    #[test]
    fn escapes_texts_for_urls_and_forms() {
        assert_eq!(escape("a b&c=d/e?f#ü+=="), "a%20b%26c%3Dd%2Fe%3Ff%23%C3%BC%2B%3D%3D");
        assert_eq!(form([("text", "a b&c"), ("n", "1")]), "text=a+b%26c&n=1");
        assert_eq!(resolve("http://a/b/c", "../d?e").as_deref(), Ok("http://a/d?e"));
        assert_eq!(origin("http://A:80/b").as_deref(), Ok("http://a"));
        assert!(resolve("http://a/", "file:///etc/passwd").is_err());
    }

    #[test]
    fn an_address_is_told_by_host_and_port() {
        assert_eq!(host("http://127.0.0.1:8080/v1").as_deref(), Ok("127.0.0.1:8080"));
        assert_eq!(host("https://api.example.org/v1").as_deref(), Ok("api.example.org"));
        assert!(host("file:///etc/passwd").is_err());
        assert!(host("127.0.0.1:8080").is_err());
    }
}
