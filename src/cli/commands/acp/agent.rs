//! The methods of the protocol.

use super::errors::wrong;
use super::order::{Order, Pace};
use super::prompt::ClientPrompt;
use super::sessions::Sessions;
use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, CancelNotification, CloseSessionRequest, Implementation, InitializeRequest,
    InitializeResponse, ListSessionsRequest, ListSessionsResponse, LoadSessionRequest,
    NewSessionRequest, NewSessionResponse, PromptCapabilities, PromptRequest, ResumeSessionRequest,
    ResumeSessionResponse, SessionCapabilities, SessionCloseCapabilities, SessionListCapabilities,
    SessionResumeCapabilities, SetSessionModeRequest,
};
use agent_client_protocol::{
    Agent, Client, ConnectTo, Error, on_receive_notification, on_receive_request,
};
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// Serves a client until it disconnects.
pub async fn serve(
    sessions: Arc<Sessions>,
    transport: impl ConnectTo<Agent> + 'static,
) -> Result<(), Error> {
    let all = || sessions.clone();
    let (created, loaded, resumed, closed, prompted, cancelled, paced, listed) =
        (all(), all(), all(), all(), all(), all(), all(), all());
    Agent
        .v1()
        .name("colloquium")
        .on_receive_request(
            async move |_: InitializeRequest, responder, _| responder.respond(introduction()),
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: NewSessionRequest, responder, client| {
                let id = created.create(client, !request.mcp_servers.is_empty());
                let modes = Pace::default().modes();
                let answer = |id| NewSessionResponse::new(id).modes(modes);
                responder.respond_with_result(id.clone().map(answer))?;
                id.map_or(Ok(()), |id| created.order(&id, Order::Announce))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: LoadSessionRequest, responder, client| {
                let id = &request.session_id;
                if let Err(e) = loaded.reopen(id, client) {
                    return responder.respond_with_error(e);
                }
                loaded.order(id, Order::Load(responder))?;
                loaded.order(id, Order::Announce)
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ResumeSessionRequest, responder, client| {
                let id = &request.session_id;
                let opened = resumed.reopen(id, client);
                let is_open = opened.is_ok();
                let answer = |()| ResumeSessionResponse::new().modes(Pace::default().modes());
                responder.respond_with_result(opened.map(answer))?;
                if is_open { resumed.order(id, Order::Announce) } else { Ok(()) }
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: CloseSessionRequest, responder, _| {
                closed.order(&request.session_id, Order::Close(responder))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder, _| match ClientPrompt::read(
                request.prompt,
            ) {
                Ok(prompt) => prompted.order(&request.session_id, Order::Prompt(prompt, responder)),
                Err(why) => responder.respond_with_error(wrong(&why)),
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: SetSessionModeRequest, responder, _| match Pace::by_id(
                &request.mode_id,
            ) {
                Some(pace) => paced.order(&request.session_id, Order::Pace(pace, responder)),
                None => {
                    responder.respond_with_error(wrong("the modes are `whole`, `round` and `turn`"))
                }
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ListSessionsRequest, responder, client| {
                let sessions = listed.clone();
                // sessions without a stored summary are read whole
                let list = spawn_blocking(move || sessions.list(request.cwd));
                client.spawn(async move {
                    let all = list.await.map_err(Error::into_internal_error).flatten();
                    responder.respond_with_result(all.map(ListSessionsResponse::new))
                })
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |cancel: CancelNotification, _| {
                cancelled.order(&cancel.session_id, Order::Cancel)
            },
            on_receive_notification!(),
        )
        .connect_with(transport, async |client: agent_client_protocol::v1::ConnectionTo<Client>| {
            client.incoming_closed().await;
            Ok(())
        })
        .await
}

fn introduction() -> InitializeResponse {
    let sessions = SessionCapabilities::new()
        .list(SessionListCapabilities::new())
        .resume(SessionResumeCapabilities::new())
        .close(SessionCloseCapabilities::new());
    let abilities = AgentCapabilities::new()
        .load_session(true)
        .prompt_capabilities(PromptCapabilities::new().embedded_context(true))
        .session_capabilities(sessions);
    InitializeResponse::new(ProtocolVersion::V1)
        .agent_capabilities(abilities)
        .agent_info(Implementation::new("colloquium", env!("CARGO_PKG_VERSION")))
}
