//! The MCP server over HTTP, on loopback and with a token: each message is a `POST` request with a JSON response.

use super::convened::Interest;
use super::jobs::Jobs;
use super::open::{CANCELLED, OpenRequests};
use super::protocol;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::play::assemble::random;
use crate::net::{HttpReply, HttpRequest, Peer, Server};
use crate::rpc::{self, RpcMessage};
use serde_json::Value;
use std::net::SocketAddr;
use std::thread;

/// The path that is served.
const PATH: &str = "/mcp";
/// The header that names the session of a client.
const SESSION: &str = "mcp-session-id";

/// Serves an address of this machine until the program is stopped.
pub fn serve(address: SocketAddr, jobs: &Jobs, context: &Context) -> Result<(), Failure> {
    if !address.ip().is_loopback() {
        let message = format!("{address} can be reached from other machines");
        return Err(Failure::usage(message, "use an address of this one, such as 127.0.0.1:7333"));
    }
    let refused = |e| Failure::new(Exit::Failed, format!("cannot listen on {address}: {e}"));
    let server = Server::bind(address).map_err(refused)?;
    let token = format!("{:016x}{:016x}", random(), random());
    let at = server.address();
    context.say(&format!("serving MCP on http://{at}{PATH}; stop with Ctrl-C"));
    context.say(&format!("clients send the header: Authorization: Bearer {token}"));
    let open = OpenRequests::default();
    let open = &open;
    thread::scope(|scope| {
        loop {
            let connection = server.next();
            let own = context.again();
            let token = &token;
            let answer = move || {
                connection.answer(
                    |request| refusal(request, token, at),
                    |request, peer| reply(request, peer, open, jobs, &own),
                );
            };
            // without a thread the connection is closed
            let _ = thread::Builder::new().spawn_scoped(scope, answer);
        }
    })
}

/// Returns the reply to a request that comes from elsewhere, lacks the token, or is not for the server.
fn refusal(request: &HttpRequest, token: &str, at: SocketAddr) -> Option<HttpReply> {
    let own = [format!("http://{at}"), format!("http://localhost:{}", at.port())];
    // a page that somebody reads in a browser is no client, whatever name it gave this machine
    let strange =
        request.header("origin").is_some_and(|origin| !own.iter().any(|own| own == origin));
    let host = request.header("host").unwrap_or_default();
    let named = own.iter().any(|own| own.strip_prefix("http://") == Some(host));
    if strange || !named {
        return Some(HttpReply::status(403));
    }
    let given = request.header("authorization").and_then(|key| key.strip_prefix("Bearer "));
    if !given.is_some_and(|given| same(given.as_bytes(), token.as_bytes())) {
        return Some(HttpReply::status(401));
    }
    match (&*request.method, &*request.path) {
        ("POST", PATH) => None,
        ("GET" | "DELETE", PATH) => Some(HttpReply::status(405)),
        (_, _) => Some(HttpReply::status(404)),
    }
}

fn reply(
    request: &HttpRequest,
    peer: &Peer<'_>,
    open: &OpenRequests,
    jobs: &Jobs,
    context: &Context,
) -> HttpReply {
    let session = request.header(SESSION).unwrap_or_default();
    match rpc::read(&request.body) {
        Ok(RpcMessage::Request { id, method, params }) => {
            let Some(request) = open.begin(session, &id) else { return HttpReply::status(503) };
            let tell = |_| if peer.is_gone() { Interest::Gone } else { request.interest() };
            let result = protocol::answer(&method, &params, jobs, context, &tell);
            let reply = HttpReply::json(&rpc::answered(&id, &result));
            if method != "initialize" {
                return reply;
            }
            // keeps the ids of one client apart from those of others
            reply.with_header(SESSION, format!("{:016x}", random()))
        }
        Ok(RpcMessage::Notice { method, params }) => {
            if method == CANCELLED {
                open.cancel(session, &params);
            }
            HttpReply::status(202)
        }
        Ok(RpcMessage::Answer { .. }) => HttpReply::status(202),
        Err(fault) => {
            let error = rpc::RpcError { code: rpc::NO_MESSAGE, message: fault.to_string() };
            HttpReply::json(&rpc::answered(&Value::Null, &Err(error)))
        }
    }
}

/// Compares in constant time.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}
