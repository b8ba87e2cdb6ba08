//! The server: its address, its connections and their limits.

use super::access::{Access, Right};
use super::audience::{Audience, WATCHERS_MAX};
use super::checks::Names;
use super::connections::{SteeringClient, follow};
use super::routes::{LinkedSeat, Pages, routes};
use crate::clock::Clock;
use crate::live::client::{ClientError, greet};
use crate::live::protocol::Attach;
use crate::model::{Ms, SeatId};
use crate::net::{VisitLimits, WebListener, accept};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum number of connections with their response: a page has one for its events, and others for its files and
/// commands.
const ANSWERED_MAX: usize = WATCHERS_MAX + 100;
/// Maximum number of connections without a response.
const UNANSWERED_MAX: usize = 100;
/// Maximum length of the head of a request, in bytes.
const HEAD_MAX: usize = 400 << 10;

/// Pages to serve.
pub struct PageServer {
    /// Socket of the conversation.
    pub socket: PathBuf,
    /// Address to listen on; port 0 is any free one.
    pub address: SocketAddr,
    /// Address for browsers behind a reverse proxy, such as `https://talk.example.org`.
    pub public: Option<String>,
    /// Name of the page that steers, in the log.
    pub name: String,
}

/// A server that listens.
pub struct OpenServer {
    /// Address that browsers use.
    url: String,
    listener: WebListener,
    pages: Arc<Pages>,
}

/// A link.
#[derive(Clone, Debug)]
pub struct PageLink {
    /// Right of its browser: `watch`, `steer` or `speak`.
    pub word: &'static str,
    /// Participant for whom the link speaks.
    pub seat: Option<SeatId>,
    /// The link; its token is secret.
    pub url: String,
}

/// Reason why pages cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The system refuses the address.
    #[error("cannot listen on {0}: {1}")]
    Address(SocketAddr, io::Error),
    /// The conversation cannot be followed.
    #[error(transparent)]
    Conversation(ClientError),
}

/// Reason why there is no fresh link.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The participant is unknown, or no person in a browser speaks for it.
    #[error("`{0}` has no link: only a participant with human = true and who = \"link\" has one")]
    NoLink(String),
    /// The system has no random numbers.
    #[error("the system has no random numbers: {0}")]
    Random(getrandom::Error),
}

/// Connects to the conversation, reads it, and listens. Needs a runtime.
pub async fn open(server: PageServer) -> Result<OpenServer, OpenError> {
    let PageServer { socket, address, public, name } = server;
    let listener = WebListener::bind(address).await;
    let listener = listener.map_err(|e| OpenError::Address(address, e))?;
    let address = listener.address();
    let audience = Arc::new(Audience::new());
    check_name(&socket, &name).await.map_err(OpenError::Conversation)?;
    let (steering, sending) = SteeringClient::new(socket.clone(), name, audience.steering());
    follow(&socket, &audience).await.map_err(OpenError::Conversation)?;
    tokio::spawn(sending);
    let mut seats = BTreeMap::new();
    for (place, id) in audience.linked() {
        // an open page of a seat does not hold a conversation that waits for an operator
        let nobody = audience.nobody();
        let (steering, sending) = SteeringClient::new(socket.clone(), link_name(&id), nobody);
        tokio::spawn(sending);
        seats.insert(place, LinkedSeat { id, steering });
    }
    let pages = Pages {
        access: Access::new(),
        audience,
        steering,
        seats,
        names: Names::new(address, public.as_deref()),
        clock: Clock::real(Ms(0)),
        cookie: format!("colloquium-{}", address.port()),
        is_secure: public.as_deref().is_some_and(|public| public.starts_with("https://")),
    };
    let url = public.unwrap_or_else(|| format!("http://{address}"));
    Ok(OpenServer { url, listener, pages: Arc::new(pages) })
}

/// Checks that the page that steers can have a name. The connection for it opens only with that page, and this one
/// gives no commands, so the conversation does not wait for it.
async fn check_name(socket: &Path, name: &str) -> Result<(), ClientError> {
    let attach = Attach { from: None, name: Some(name.to_owned()), watch: true };
    greet(socket).await?.attach(attach).await.map(drop)
}

/// Returns the name of a participant's browser in the log.
fn link_name(seat: &SeatId) -> String {
    let plain = seat.0.chars().filter(|c| c.is_ascii_alphanumeric() || "_-".contains(*c));
    format!("link-{}", plain.take(24).collect::<String>())
}

impl OpenServer {
    /// Creates all links: to watch, to steer, and to speak for each participant with a link.
    pub fn links(&self) -> Result<Vec<PageLink>, LinkError> {
        let seats = self.pages.seats.keys().map(|seat| Right::Seat(*seat));
        [Right::Watch, Right::Steer]
            .into_iter()
            .chain(seats)
            .map(|right| self.issue(right))
            .collect()
    }

    /// Replaces the link to steer, or that of a participant. The old link and its browser lose their rights.
    pub fn fresh_link(&self, seat: Option<&str>) -> Result<PageLink, LinkError> {
        let Some(wanted) = seat else { return self.issue(Right::Steer) };
        let seat = self.pages.seats.iter().find(|(_, seat)| *seat.id.0 == *wanted);
        let (place, _) = seat.ok_or_else(|| LinkError::NoLink(wanted.to_owned()))?;
        self.issue(Right::Seat(*place))
    }

    fn issue(&self, right: Right) -> Result<PageLink, LinkError> {
        let (token, lost) = self.pages.access.issue(right).map_err(LinkError::Random)?;
        lost.into_iter().for_each(|cookie| self.pages.audience.close(cookie));
        let seat = match right {
            Right::Seat(place) => self.pages.seats.get(&place).map(|seat| seat.id.clone()),
            Right::Watch | Right::Steer => None,
        };
        Ok(PageLink { word: right.word(), seat, url: format!("{}/#{token}", self.url) })
    }

    /// Serves pages; never returns.
    pub async fn serve(&self) {
        let router = TowerToHyperService::new(routes(self.pages.clone()));
        let limits = VisitLimits { unproved: UNANSWERED_MAX, head: HEAD_MAX };
        accept(&self.listener, limits, move |request, visit| {
            let response = router.call(request);
            async move {
                let response = response.await;
                if visit.prove(ANSWERED_MAX) {
                    return response;
                }
                Ok(StatusCode::SERVICE_UNAVAILABLE.into_response())
            }
        })
        .await;
    }
}
