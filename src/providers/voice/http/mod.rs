//! An HTTP service as a voice: one request from templates, one answer with the reply in it.
//!
//! The service keeps the conversation by cookies, by an identifier that it returns, or by one that the program makes.
//! A service that has not replied to this program yet, as after a resume, gets the whole conversation as its message.
//!
//! Redirects are followed on the same scheme, host and port only, so that words and keys reach no other server. Limits
//! are those of models: the timeouts of the seat, 4 MiB for an answer that is no stream, 64 MiB for a stream, 8 MiB of
//! text. The engine does the retries.

mod cookies;
mod reply;
mod request;

pub use request::preview;

use super::remote::failure::{self, ReplyStart, ServerFault};
use super::remote::{Patience, RedactingSink, refusal, seconds, silence};
use super::{CallFailure, CallRequest, Chunk, Did, Done, Out, Pieces, Speaking, Voice};
use crate::model::{ErrorClass, HttpSpec, Secret, SessionFrom, Text};
use crate::net::{self, Client, ClientRequest, Response};
use cookies::Cookies;
use parking_lot::Mutex;
use reply::{BODY_MAX, ServiceAnswer};
use request::{RenderedRequest, Templates};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Maximum number of redirects of one request.
const REDIRECTS_MAX: usize = 5;
/// Kind of the used tools in the log.
const TOOL_SORT: &str = "other";
/// Status of the used tools in the log.
const TOOL_STATUS: &str = "completed";

/// An HTTP service with a seat. It remembers the cookies and the identifier of one conversation.
pub struct Http(Arc<Service>);

struct Service {
    spec: HttpSpec,
    key: Option<Secret>,
    client: Client,
    /// The compiled templates, or the first fault.
    templates: Result<Templates, String>,
    kept: Mutex<Kept>,
}

/// State of the conversation with the service.
#[derive(Default)]
struct Kept {
    cookies: Cookies,
    session: Option<String>,
    /// True once the service has replied.
    is_known: bool,
}

impl Http {
    /// Creates the voice of a service; `key` is the value of the variable that it names.
    pub fn new(spec: HttpSpec, key: Option<Secret>) -> Http {
        let templates = Templates::compile(&spec);
        // an identifier of the service comes with its first answer
        let session = spec.session.is_none().then(new_session);
        let kept = Mutex::new(Kept { session, ..Kept::default() });
        Http(Arc::new(Service { spec, key, client: Client::new(), templates, kept }))
    }
}

/// Returns an identifier that no other conversation has.
fn new_session() -> String {
    format!("{:016x}", RandomState::new().hash_one(0))
}

impl Voice for Http {
    fn speak(&self, ask: CallRequest, out: Out) -> Speaking {
        let service = self.0.clone();
        Box::pin(async move {
            let last = service.answer(&ask, &out).await;
            out.send(last.map_or_else(Chunk::Failed, Chunk::Done)).await;
        })
    }
}

impl Service {
    /// Answers one request. All text has been sent when it returns.
    async fn answer(&self, ask: &CallRequest, out: &Out) -> Result<Done, CallFailure> {
        let mut sink = RedactingSink::new(out);
        let mut sent = String::new();
        let total = ask.seat.timeouts.total;
        let heard = timeout(Duration::from_millis(total), self.listen(ask, &mut sent, &mut sink));
        let heard = heard.await.unwrap_or_else(|_| {
            Err(silence(format!("did not finish within {} s", seconds(total))))
        });
        sink.close().await;
        let place = self.spec.place();
        let heard =
            heard.map_err(|fault| fault.describe_service(place, self.key.as_ref(), &sent))?;
        for name in heard.tools {
            let (sort, status) = (TOOL_SORT.into(), TOOL_STATUS.into());
            let used = Did::Used { title: name, sort, status, input: None, result: None };
            out.send(Chunk::Did(used)).await;
        }
        Ok(heard.done)
    }

    async fn listen(
        &self,
        ask: &CallRequest,
        sent: &mut String,
        sink: &mut RedactingSink<'_>,
    ) -> Result<Heard, ServerFault> {
        let fault = |why: String| {
            ServerFault::new(ErrorClass::BadRequest, format!("was not called: {why}"))
        };
        let templates = self.templates.as_ref().map_err(|why| fault(why.clone()))?;
        let (session, is_known) = {
            let kept = self.kept.lock();
            (kept.session.clone(), kept.is_known)
        };
        let session = match (&self.spec.session, session) {
            (Some(from), None) if from.url.is_some() => {
                Some(self.open(ask, templates, from).await?)
            }
            (_, session) => session,
        };
        let facts = request::facts(ask, session.as_deref(), is_known);
        let rendered = templates.request(&self.spec, &facts).map_err(fault)?;
        sent.clone_from(&rendered.body.clone().unwrap_or_default());
        let mut patience = Patience::new(ask.seat.timeouts.first);
        let mut response = self.send(rendered, ask, &mut patience).await?;
        let kind = response.header("content-type");
        let mut answer = ServiceAnswer::new(&self.spec, kind, session.is_none());
        let mut bytes = 0;
        while !answer.is_over() {
            let part = patience.wait(response.next()).await?;
            let part = part.map_err(|e| failure::of_net(&e, ReplyStart::Something))?;
            let Some(part) = part else { break };
            bytes += part.as_ref().len();
            if bytes > answer.bytes_max() {
                let why = format!("sent more than {} MiB", answer.bytes_max() >> 20);
                return Err(ServerFault::new(ErrorClass::TooLarge, why));
            }
            let mut pieces = Pieces::new();
            let taken = answer.push(part.as_ref(), &mut pieces);
            if !pieces.is_empty() {
                patience = Patience::new(ask.seat.timeouts.silence);
            }
            sink.send(pieces).await;
            taken?;
        }
        let mut pieces = Pieces::new();
        let end = answer.end(&mut pieces);
        sink.send(pieces).await;
        let end = end?;
        let mut kept = self.kept.lock();
        kept.is_known = true;
        kept.session = session.or(end.session);
        Ok(Heard { done: end.done, tools: end.tools })
    }

    /// Opens a conversation and returns its identifier.
    async fn open(
        &self,
        ask: &CallRequest,
        templates: &Templates,
        from: &SessionFrom,
    ) -> Result<String, ServerFault> {
        let facts = request::facts(ask, None, false);
        let rendered = templates.opening(&self.spec, &facts).map_err(|why| {
            ServerFault::new(ErrorClass::BadRequest, format!("was not called: {why}"))
        })?;
        let mut patience = Patience::new(ask.seat.timeouts.first);
        let mut response = self.send(rendered, ask, &mut patience).await?;
        let mut body = vec![];
        while let Some(part) = patience
            .wait(response.next())
            .await?
            .map_err(|e| failure::of_net(&e, ReplyStart::Something))?
        {
            body.extend_from_slice(part.as_ref());
            if body.len() > BODY_MAX {
                let why = format!("sent more than {} MiB", BODY_MAX >> 20);
                return Err(ServerFault::new(ErrorClass::TooLarge, why));
            }
        }
        let id = reply::session(&body, &from.from)?;
        self.kept.lock().session = Some(id.clone());
        Ok(id)
    }

    /// Sends a request, follows redirects on the same host, and keeps the cookies. Returns a successful answer.
    async fn send(
        &self,
        rendered: RenderedRequest,
        ask: &CallRequest,
        patience: &mut Patience,
    ) -> Result<Response, ServerFault> {
        let mut rendered = rendered;
        let home =
            net::origin(self.spec.place()).map_err(|e| failure::of_net(&e, ReplyStart::Nothing))?;
        for _ in 0..=REDIRECTS_MAX {
            let origin = net::origin(&rendered.url);
            let origin = origin.map_err(|e| failure::of_net(&e, ReplyStart::Nothing))?;
            if origin != home {
                let why = format!("redirects to another host ({origin}), which gets no words");
                return Err(ServerFault::new(ErrorClass::BadRequest, why));
            }
            let request = self.request(&rendered, ask.seat.timeouts.connect);
            let response = patience.wait(self.client.request(request)).await?;
            let mut response = response.map_err(|e| failure::of_net(&e, ReplyStart::Nothing))?;
            self.kept.lock().cookies.keep(&response.headers("set-cookie"));
            let location = match response.status() {
                200..=299 => return Ok(response),
                301..=303 | 307 | 308 => response.header("location").map(str::to_owned),
                _ => None,
            };
            let Some(location) = location else { return Err(refusal(&mut response).await) };
            let url = net::resolve(&rendered.url, &location);
            rendered.url = url.map_err(|e| failure::of_net(&e, ReplyStart::Nothing))?;
            // as browsers do: only 307 and 308 repeat the body
            if response.status() < 307 {
                rendered.method = "GET".into();
                rendered.body = None;
            }
        }
        let why = format!("redirects more than {REDIRECTS_MAX} times");
        Err(ServerFault::new(ErrorClass::NoProtocol, why))
    }

    fn request(&self, rendered: &RenderedRequest, connect_ms: u64) -> ClientRequest {
        let mut headers = rendered.headers.clone();
        headers.extend(self.kept.lock().cookies.header().map(|cookies| ("cookie".into(), cookies)));
        if rendered.body.is_none() {
            headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
        }
        let secret = |(name, text): &(String, String)| {
            let key = self.key.as_ref().map_or("", Secret::expose);
            (name.clone(), Secret::new(text.replace(request::KEY_MARK, key)))
        };
        ClientRequest {
            url: rendered.url.clone(),
            method: rendered.method.clone(),
            headers,
            secrets: rendered.secrets.iter().map(secret).collect(),
            body: rendered.body.clone(),
            connect: Duration::from_millis(connect_ms),
        }
    }
}

/// A complete reply, with the names of the tools that the service used.
struct Heard {
    done: Done,
    tools: Vec<Text>,
}
