//! The MCP server over HTTP, on loopback and with a token: each message is a `POST` request. The SDK answers it, with
//! JSON, or with an event stream if the client asks for progress.
//!
//! Sessions exist only for the ids of requests: two clients of the earlier era may use the same id, and one must not
//! cancel the request of the other.

use super::open::{CANCELLED, OpenRequests};
use super::service::McpService;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::play::assemble::random;
use crate::net::{VisitLimits, WebListener, WebVisit, accept};
use crate::rpc::{self, RpcError, RpcMessage};
use axum::Json;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderValue, Method, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// The path that is served.
const PATH: &str = "/mcp";
/// The header that names the session of a client.
const SESSION: &str = "mcp-session-id";
/// Maximum number of connections that are being answered.
const ANSWERED: usize = 64;
/// Maximum length of a body, in bytes.
const BODY_MAX: usize = 4 << 20;
/// Time limit for the body of a request.
const BODY_WITHIN: Duration = Duration::from_secs(30);

/// The rules for each request, and the service behind them.
struct Gate {
    token: String,
    at: SocketAddr,
    open: OpenRequests,
    service: StreamableHttpService<McpService, NeverSessionManager>,
}

/// Serves an address of this machine until the program is stopped.
pub async fn serve(
    address: SocketAddr,
    service: McpService,
    open: OpenRequests,
    context: &Context,
) -> Result<(), Failure> {
    if !address.ip().is_loopback() {
        let message = format!("{address} can be reached from other machines");
        return Err(Failure::usage(message, "use an address of this one, such as 127.0.0.1:7333"));
    }
    let refused = |e| Failure::new(Exit::Failed, format!("cannot listen on {address}: {e}"));
    let listener = WebListener::bind(address).await.map_err(refused)?;
    let token = format!("{:016x}{:016x}", random(), random());
    let at = listener.address();
    context.say(&format!("serving MCP on http://{at}{PATH}; stop with Ctrl-C"));
    context.say(&format!("clients send the header: Authorization: Bearer {token}"));
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(BODY_MAX);
    let service = StreamableHttpService::new(move || Ok(service.clone()), Arc::default(), config);
    let gate = Arc::new(Gate { token, at, open, service });
    let limits = VisitLimits { unproved: 32, head: 16 << 10 };
    accept(&listener, limits, move |request, visit| {
        let gate = gate.clone();
        async move { Ok(gate.answer(request.map(Body::new), &visit).await) }
    })
    .await;
    Ok(())
}

impl Gate {
    async fn answer(&self, request: Request<Body>, visit: &WebVisit) -> Response {
        if let Some(status) = self.refusal(&request) {
            return status.into_response();
        }
        if !visit.prove(ANSWERED) {
            return StatusCode::SERVICE_UNAVAILABLE.into_response();
        }
        let (mut head, body) = request.into_parts();
        let body = match timeout(BODY_WITHIN, to_bytes(body, BODY_MAX)).await {
            Ok(Ok(body)) => body,
            Ok(Err(_)) => return StatusCode::BAD_REQUEST.into_response(),
            Err(_) => return StatusCode::REQUEST_TIMEOUT.into_response(),
        };
        let session = head.headers.get(SESSION).and_then(|value| value.to_str().ok());
        let session = session.unwrap_or_default();
        let is_first = match rpc::read(&body) {
            Ok(RpcMessage::Request { id, method, .. }) => {
                let Some(slot) = self.open.begin(session, &id) else {
                    return StatusCode::SERVICE_UNAVAILABLE.into_response();
                };
                head.extensions.insert(Arc::new(slot));
                method == "initialize"
            }
            Ok(RpcMessage::Notice { method, params }) => {
                if method == CANCELLED {
                    self.open.cancel(session, &params);
                }
                return StatusCode::ACCEPTED.into_response();
            }
            Ok(RpcMessage::Answer { .. }) => return StatusCode::ACCEPTED.into_response(),
            Err(fault) => {
                let error = RpcError::from(fault);
                return Json(rpc::answered(&Value::Null, &Err(error))).into_response();
            }
        };
        // plain clients name no types
        for (name, kinds) in [
            (header::ACCEPT, "application/json, text/event-stream"),
            (header::CONTENT_TYPE, "application/json"),
        ] {
            head.headers.entry(name).or_insert(HeaderValue::from_static(kinds));
        }
        let request = Request::from_parts(head, Body::from(body));
        let mut response = self.service.handle(request).await.map(Body::new);
        if is_first && let Ok(session) = HeaderValue::from_str(&format!("{:016x}", random())) {
            response.headers_mut().insert(SESSION, session);
        }
        response
    }

    /// Returns the status for a request that comes from elsewhere, lacks the token, or is not for the server.
    fn refusal<B>(&self, request: &Request<B>) -> Option<StatusCode> {
        let named = |name| request.headers().get(name).and_then(|value| value.to_str().ok());
        let at = self.at;
        let own = [format!("http://{at}"), format!("http://localhost:{}", at.port())];
        // rejects pages in a browser, also under another name of this machine
        let origin = request.headers().get(header::ORIGIN);
        let strange = origin.is_some_and(|origin| !own.iter().any(|own| own == origin));
        let host = named(header::HOST).unwrap_or_default();
        if strange || !own.iter().any(|own| own.strip_prefix("http://") == Some(host)) {
            return Some(StatusCode::FORBIDDEN);
        }
        let given = named(header::AUTHORIZATION).and_then(|key| key.strip_prefix("Bearer "));
        if !given.is_some_and(|given| same(given.as_bytes(), self.token.as_bytes())) {
            return Some(StatusCode::UNAUTHORIZED);
        }
        match (request.method(), request.uri().path()) {
            (&Method::POST, PATH) => None,
            (_, PATH) => Some(StatusCode::METHOD_NOT_ALLOWED),
            (_, _) => Some(StatusCode::NOT_FOUND),
        }
    }
}

/// Compares in constant time.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}
