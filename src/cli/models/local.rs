//! Finds the local server that a session needs but does not name, at the default ports.
//!
//! An address is never taken from a session, regardless of its origin.

use crate::cli::args::ModelOptions;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::models::inquiry::is_listed;
use crate::cli::models::providers::{ENDPOINT, Providers};
use crate::cli::models::resolve::models_of;
use crate::cli::models::survey::{LOCAL, LOCAL_TIME, SERVER_TIME, list, usual_place};
use crate::cli::runtime::wait_for;
use crate::model::Participant;
use futures::future::join_all;

/// Sets the endpoint to a server that has all models of the provider `endpoint` if the session needs some and no
/// endpoint is set. The `typed` address is tried before the local servers.
pub fn find_endpoint(
    seats: &[Participant],
    typed: Option<&str>,
    session: &str,
    options: &mut ModelOptions,
    context: &Context,
) -> Result<(), Failure> {
    let first = seats.iter().filter_map(|seat| models_of(seat).into_iter().next());
    let on_endpoint = |name: &str| Some(name.strip_prefix(ENDPOINT)?.strip_prefix(':')?.to_owned());
    let wanted: Vec<String> = first.filter_map(|name| on_endpoint(&name)).collect();
    let known = || Providers::new(context, options).map(|all| all.find(ENDPOINT).is_ok());
    let Some(missing) = wanted.first() else { return Ok(()) };
    if known()? {
        return Ok(());
    }
    let with_version = typed.map(|url| format!("{url}/v1"));
    let own = typed.into_iter().chain(with_version.as_deref()).map(|url| (ENDPOINT, url));
    let places: Vec<_> = own.chain(LOCAL).collect();
    let asked = async { Ok(server_with(&wanted, &places).await) };
    let found = wait_for("a server of models", context, asked)?;
    match found {
        Some(url) => options.server.endpoint = Some(url),
        None => {
            let again = context.command(&["resume", session, "--endpoint", "URL"]);
            let message = format!("no local server currently has the model {missing}");
            return Err(Failure::new(Exit::NoModel, message).hint(format!(
                "start it, or type its address under Connect, and try again; or: {again}"
            )));
        }
    }
    Ok(())
}

/// Returns the address of the first server that has all of these models.
async fn server_with(wanted: &[String], places: &[(&str, &str)]) -> Option<String> {
    let asked = places.iter().map(async |(name, url)| {
        let within = if *name == ENDPOINT { SERVER_TIME } else { LOCAL_TIME };
        let listed = list(usual_place(name, url), within).await.unwrap_or_default();
        let has = |model: &String| !listed.is_empty() && is_listed(&listed, model);
        wanted.iter().all(has).then_some(*url)
    });
    join_all(asked).await.into_iter().flatten().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::runtime::block_on;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    /// Starts a server with one model and returns its address.
    fn server(model: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 4096]).unwrap();
                let body = format!("{{\"data\":[{{\"id\":\"{model}\"}}]}}");
                let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json";
                let length = body.len();
                let answer = format!(
                    "{head}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
                );
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        url
    }

    #[test]
    fn the_server_that_has_the_models_is_found() {
        let other = server("other");
        let right = server("tiny");
        let places = [("a", &*other), ("b", &*right)];
        let find = |model: &str| {
            let wanted = [model.to_owned()];
            block_on(async { Ok(server_with(&wanted, &places).await) }).unwrap()
        };
        assert_eq!(find("tiny").as_deref(), Some(&*right));
        assert_eq!(find("none"), None);
    }
}
