//! The same server over HTTP, on loopback and with a token: each message is a `POST`, answered with JSON.

use super::convened::Interest;
use super::jobs::Jobs;
use super::protocol;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::play::assemble::random;
use crate::net::{Heard, HttpReply, Server};
use crate::rpc::{self, RpcMessage};
use serde_json::Value;
use std::net::SocketAddr;
use std::thread;

/// The path that is served.
const PATH: &str = "/mcp";

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
    thread::scope(|scope| {
        while let Some(connection) = server.next() {
            let (own, token) = (context.again(), &token);
            scope.spawn(move || connection.answer(|heard| reply(heard, token, at, jobs, &own)));
        }
    });
    Ok(())
}

fn reply(heard: &Heard, token: &str, at: SocketAddr, jobs: &Jobs, context: &Context) -> HttpReply {
    let own = [format!("http://{at}"), format!("http://localhost:{}", at.port())];
    // a page that somebody reads in a browser is no client, whatever name it gave this machine
    let strange = heard.header("origin").is_some_and(|origin| !own.iter().any(|own| own == origin));
    let host = heard.header("host").unwrap_or_default();
    let named = own.iter().any(|own| own.strip_prefix("http://") == Some(host));
    if strange || !named {
        return HttpReply::status(403);
    }
    let given = heard.header("authorization").and_then(|key| key.strip_prefix("Bearer "));
    if !given.is_some_and(|given| same(given.as_bytes(), token.as_bytes())) {
        return HttpReply::status(401);
    }
    match (&*heard.method, &*heard.path) {
        ("POST", PATH) => {}
        ("GET" | "DELETE", PATH) => return HttpReply::status(405),
        (_, _) => return HttpReply::status(404),
    }
    match rpc::read(&heard.body) {
        Ok(RpcMessage::Request { id, method, params }) => {
            let result = protocol::answer(&method, &params, jobs, context, &|_| Interest::Waiting);
            HttpReply::json(&rpc::answered(&id, &result))
        }
        Ok(RpcMessage::Notice { .. } | RpcMessage::Answer { .. }) => HttpReply::status(202),
        Err(fault) => {
            let error = rpc::RpcError { code: rpc::NO_MESSAGE, message: fault.to_string() };
            HttpReply::json(&rpc::answered(&Value::Null, &Err(error)))
        }
    }
}

/// Compares in a time that does not tell how much is right.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}
