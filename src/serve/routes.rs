//! Requests of pages: the page itself, the exchange of a link, the events, and commands.

use super::access::{Access, AccessRefusal, Right, TokenDigest};
use super::audience::Audience;
use super::checks::{HEADERS, Misdirected, Names};
use super::connections::SteeringClient;
use crate::clock::Clock;
use crate::live::client::ClientError;
use crate::model::{Command, SeatId, Seq, SteerLine};
use crate::steer::line::Manner;
use crate::text;
use axum::extract::{DefaultBodyLimit, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::sse::{KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Maximum length of a body, in bytes.
const BODY_MAX: usize = 64 * 1024;
/// Time for the body of a request and the head of its response.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);
/// Interval of empty messages, by which both ends notice a broken connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Everything that a request needs.
pub struct Pages {
    pub access: Access,
    pub audience: Arc<Audience>,
    pub steering: SteeringClient,
    /// Participants with links, by their index.
    pub seats: BTreeMap<usize, LinkedSeat>,
    pub names: Names,
    pub clock: Clock,
    /// Name of the cookie: browsers share cookies between ports.
    pub cookie: String,
    /// True if browsers use TLS.
    pub is_secure: bool,
}

/// A participant with a link.
pub struct LinkedSeat {
    pub id: SeatId,
    pub steering: SteeringClient,
}

/// A refused request: the status, and a sentence for the page.
struct Refused(StatusCode, String);

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.0, Json(json!({"error": self.1}))).into_response()
    }
}

impl From<AccessRefusal> for Refused {
    fn from(refusal: AccessRefusal) -> Refused {
        let (status, text) = match refusal {
            AccessRefusal::Unknown => (
                StatusCode::UNAUTHORIZED,
                "this link is not valid (any more): open the link that `colloquium serve` prints",
            ),
            AccessRefusal::Taken => (
                StatusCode::FORBIDDEN,
                "another browser has used this link, which opens one browser. Use the link to watch, or type r in the \
                 terminal of `colloquium serve` for a fresh link",
            ),
            AccessRefusal::Other => (
                StatusCode::FORBIDDEN,
                "this browser has opened another link of this conversation: use a second browser or a private window",
            ),
            AccessRefusal::TooFast => {
                (StatusCode::TOO_MANY_REQUESTS, "too many requests; wait a moment")
            }
            AccessRefusal::Random => {
                (StatusCode::SERVICE_UNAVAILABLE, "the system has no random numbers")
            }
        };
        Refused(status, text.into())
    }
}

/// Returns the routes.
pub fn routes(pages: Arc<Pages>) -> Router {
    let file = |kind: &'static str, content: &'static str| {
        get(async move || ([(header::CONTENT_TYPE, kind)], content))
    };
    Router::new()
        .route("/", file("text/html; charset=utf-8", include_str!("../../assets/web/index.html")))
        .route(
            "/page.css",
            file("text/css; charset=utf-8", include_str!("../../assets/web/page.css")),
        )
        .route(
            "/page.js",
            file("text/javascript; charset=utf-8", include_str!("../../assets/web/page.js")),
        )
        .route("/icon.svg", file("image/svg+xml", include_str!("../../assets/web/icon.svg")))
        .route("/enter", post(enter))
        .route("/me", get(me))
        .route("/events", get(events))
        .route("/steer", post(steer))
        .layer(DefaultBodyLimit::max(BODY_MAX))
        .layer(from_fn_with_state(pages.clone(), guard))
        .with_state(pages)
}

/// Rejects requests that are not for this server, and adds the headers of each response.
async fn guard(State(pages): State<Arc<Pages>>, request: Request, next: Next) -> Response {
    let mut response = match pages.names.check(request.method(), request.uri(), request.headers()) {
        Ok(()) => timeout(ANSWER_WITHIN, next.run(request)).await.unwrap_or_else(|_| {
            Refused(StatusCode::REQUEST_TIMEOUT, "the request took too long".into()).into_response()
        }),
        Err(Misdirected::Host) => {
            let text = "this address is not the one in the link";
            Refused(StatusCode::MISDIRECTED_REQUEST, text.into()).into_response()
        }
        Err(Misdirected::Origin) => {
            let text = "the request comes from a page of another site";
            Refused(StatusCode::FORBIDDEN, text.into()).into_response()
        }
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

impl Pages {
    /// Returns the cookie of a request.
    fn cookie_in<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
        let mut pairs = lines.flat_map(|line| line.split(';'));
        pairs.find_map(|pair| pair.trim().strip_prefix(&*self.cookie)?.strip_prefix('='))
    }

    fn welcome(&self, right: Right) -> Value {
        let name = (right == Right::Steer).then(|| self.steering.name());
        let seat = match right {
            Right::Seat(seat) => Some(seat),
            Right::Watch | Right::Steer => None,
        };
        json!({"may": right.word(), "name": name, "seat": seat})
    }

    /// Returns the client that sends a command of a page, and the command as it may send it.
    fn sender(
        &self,
        right: Right,
        line: SteerLine,
    ) -> Result<(&SteeringClient, SteerLine), Refused> {
        let refused = |text: String| Refused(StatusCode::FORBIDDEN, text);
        match right {
            Right::Watch => Err(refused("the link to watch gives no commands".into())),
            Right::Steer if line.command.needs_terminal() => {
                let name = line.command.name();
                Err(refused(format!("`{name}` is for a terminal, as in: colloquium attach")))
            }
            Right::Steer => {
                let read = match &line.command {
                    Command::Say { text, re, material: None } => {
                        self.audience.read(text, Manner::Say, *re)
                    }
                    Command::CutIn { text, who: None, re } => {
                        self.audience.read(text, Manner::CutIn, *re)
                    }
                    Command::Speak { text, who } => {
                        self.audience.read(text, Manner::Speak(who.clone()), None)
                    }
                    command => Ok(command.clone()),
                };
                let command = read.map_err(|why| Refused(StatusCode::CONFLICT, why.to_string()))?;
                Ok((&self.steering, SteerLine { command, ..line }))
            }
            Right::Seat(place) => {
                let gone = || refused("this participant has no link any more".into());
                let seat = self.seats.get(&place).ok_or_else(gone)?;
                match line.command {
                    Command::Speak { ref who, .. } | Command::Pass { ref who }
                        if *who == seat.id =>
                    {
                        if !self.audience.has_floor(place) {
                            let text = "it is not your turn".into();
                            return Err(Refused(StatusCode::CONFLICT, text));
                        }
                        // without a condition or an id
                        Ok((&seat.steering, SteerLine::from(line.command)))
                    }
                    _ => Err(refused(format!(
                        "this link speaks for `{}` and gives no other commands",
                        seat.id
                    ))),
                }
            }
        }
    }
}

/// The sender of a request with a cookie. The cookie is checked before the body is read.
struct Browser {
    right: Right,
    cookie: TokenDigest,
}

impl FromRequestParts<Arc<Pages>> for Browser {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, pages: &Arc<Pages>) -> Result<Browser, Refused> {
        let cookie = pages.cookie_in(&parts.headers).ok_or(AccessRefusal::Unknown)?;
        let (right, cookie) = pages.access.check(cookie, pages.clock.now())?;
        Ok(Browser { right, cookie })
    }
}

/// A link to exchange.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entering {
    token: String,
}

async fn enter(
    State(pages): State<Arc<Pages>>,
    headers: HeaderMap,
    Json(entering): Json<Entering>,
) -> Result<Response, Refused> {
    let own = pages.cookie_in(&headers);
    let (right, cookie) = pages.access.enter(&entering.token, own, pages.clock.now())?;
    let mut response = Json(pages.welcome(right)).into_response();
    if let Some(cookie) = cookie {
        let secure = if pages.is_secure { "; Secure" } else { "" };
        let name = &pages.cookie;
        let cookie = format!("{name}={cookie}; HttpOnly; SameSite=Strict; Path=/{secure}");
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            response.headers_mut().insert(header::SET_COOKIE, cookie);
        }
    }
    Ok(response)
}

async fn me(State(pages): State<Arc<Pages>>, browser: Browser) -> Json<Value> {
    Json(pages.welcome(browser.right))
}

async fn events(
    State(pages): State<Arc<Pages>>,
    Browser { right, cookie }: Browser,
    headers: HeaderMap,
) -> Result<impl IntoResponse, Refused> {
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let after = last.and_then(|id| id.parse().ok()).map(Seq);
    let page = pages.audience.open(cookie, right, after).ok_or_else(|| {
        Refused(StatusCode::SERVICE_UNAVAILABLE, "too many pages are open; close one".into())
    })?;
    Ok(Sse::new(page.into_stream()).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

async fn steer(
    State(pages): State<Arc<Pages>>,
    Browser { right, .. }: Browser,
    Json(line): Json<Value>,
) -> Result<Response, Refused> {
    let line = SteerLine::parse(&line.to_string())
        .map_err(|fault| Refused(StatusCode::BAD_REQUEST, text::line(&fault.0).into_owned()))?;
    let (steering, line) = pages.sender(right, line)?;
    let outcome = steering.send(line).await.map_err(|fault| {
        let status = match fault {
            ClientError::TooLong => StatusCode::PAYLOAD_TOO_LARGE,
            _ => StatusCode::SERVICE_UNAVAILABLE,
        };
        Refused(status, format!("not sent: {fault}"))
    })?;
    let status = match outcome.is {
        _ if outcome.is_refusal() => StatusCode::CONFLICT,
        "sent" => StatusCode::ACCEPTED,
        _ => StatusCode::OK,
    };
    let why = outcome.why.map(|why| text::line(&why).into_owned());
    let by = steering.name();
    let receipt = json!({"is": outcome.is, "seq": outcome.seq, "why": why, "by": by});
    Ok((status, Json(receipt)).into_response())
}
