//! The server in the types of the SDK, which speaks both eras of the protocol: clients with a handshake (`initialize`)
//! and clients that name the version in each request (since 2026-07-28).

use super::convened::Interest;
use super::jobs::Jobs;
use super::open::OpenRequest;
use super::protocol::{self, INSTRUCTIONS};
use super::tasks;
use super::tools::TOOLS;
use crate::cli::context::Context;
use crate::rpc::RpcError;
use axum::http::request::Parts;
use parking_lot::Mutex;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, CreateTaskResult,
    DetailedTask, ErrorCode, ErrorData, Extensions, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, GetTaskParams, GetTaskResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ServerCapabilities, ServerConfig, Tool, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::watch;
use tokio::task::spawn_blocking;

/// The service that all connections share.
#[derive(Clone)]
pub struct McpService {
    jobs: Arc<Jobs>,
    context: Arc<Mutex<Context>>,
}

/// Function that reports the number of turns and returns whether the client still waits.
type Tell<'a> = &'a dyn Fn(u32) -> Interest;

impl McpService {
    pub fn new(jobs: Arc<Jobs>, context: &Context) -> McpService {
        McpService { jobs, context: Arc::new(Mutex::new(context.again())) }
    }

    /// Does the work of a request on a thread that may block; meanwhile, progress is sent to the client and its
    /// cancellation is noticed.
    async fn work<T: Send + 'static>(
        &self,
        request: RequestContext<RoleServer>,
        work: impl FnOnce(&Jobs, &Context, Tell<'_>) -> Result<T, RpcError> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let context = self.context.lock().again();
        let jobs = self.jobs.clone();
        let token = request.meta.get_progress_token();
        // in the later era a client cancels a request over HTTP by leaving
        let leaving = if is_modern(&request) { Interest::Cancelled } else { Interest::Gone };
        let RequestContext { ct, extensions, peer, .. } = request;
        let slot = slot(&extensions);
        drop(extensions);
        let (tell, mut turns) = watch::channel(None);
        let held = slot.clone();
        let mut done = spawn_blocking(move || {
            let tell = |turns: u32| {
                tell.send_if_modified(|told| told.replace(turns) != Some(turns));
                held.as_ref().map_or(Interest::Waiting, |slot| slot.interest())
            };
            work(&jobs, &context, &tell)
        });
        let mut waits = true;
        let done = loop {
            tokio::select! { biased;
                changed = turns.changed(), if token.is_some() && turns.has_changed().is_ok() => {
                    let told = *turns.borrow_and_update();
                    if let (Ok(()), Some(turns), Some(token)) = (changed, told, token.clone()) {
                        let progress = ProgressNotificationParam::new(token, turns.into());
                        // the client may have gone
                        let _ = peer.notify_progress(progress.with_message(format!("{turns} turns"))).await;
                    }
                }
                () = ct.cancelled(), if waits => {
                    waits = false;
                    slot.iter().for_each(|slot| slot.lose(leaving));
                }
                done = &mut done => break done,
            }
        };
        // frees the slot before the client can know the answer
        drop(slot);
        let done = done.map_err(|e| ErrorData::internal_error(e.to_string(), None))?;
        done.map_err(|e| ErrorData::new(ErrorCode(e.code as i32), e.message, None))
    }

    /// Answers a method whose result is JSON.
    async fn answer<T: DeserializeOwned + Send + 'static>(
        &self,
        method: &'static str,
        params: impl Serialize,
        request: RequestContext<RoleServer>,
    ) -> Result<T, ErrorData> {
        let params = serde_json::to_value(params).map_err(internal)?;
        let answer = self.work(request, move |jobs, context, tell| {
            protocol::answer(method, &params, jobs, context, tell)
        });
        read(answer.await?)
    }

    /// Starts the conversation of a call and returns it as a task, or the error of the tool.
    async fn start(
        &self,
        params: CallToolRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let params = serde_json::to_value(params).map_err(internal)?;
        let begun = self.work(request, move |jobs, context, tell| {
            let started = protocol::begin(&params, jobs, context, tell)?;
            let Some(id) = started["structuredContent"]["session"].as_str() else {
                return Ok(Err(started));
            };
            tasks::state(id, jobs, context).map(Ok)
        });
        Ok(match begun.await? {
            Ok(DetailedTask { task, .. }) => CallToolResponse::Task(CreateTaskResult::new(task)),
            Err(refused) => read::<CallToolResult>(refused)?.into(),
        })
    }
}

/// Returns a result in the types of the SDK. The later era requires its kind, which the SDK omits for the earlier one.
fn read<T: DeserializeOwned>(mut result: Value) -> Result<T, ErrorData> {
    result["resultType"] = "complete".into();
    serde_json::from_value(result).map_err(internal)
}

fn internal(e: serde_json::Error) -> ErrorData {
    ErrorData::internal_error(e.to_string(), None)
}

fn is_modern(request: &RequestContext<RoleServer>) -> bool {
    request.protocol_version().is_some_and(|version| !version.has_initialize())
}

/// Returns the slot of a request: the transport of lines attaches it to the message, HTTP to its head.
fn slot(extensions: &Extensions) -> Option<Arc<OpenRequest>> {
    let own = extensions.get::<Arc<OpenRequest>>();
    own.or_else(|| extensions.get::<Parts>()?.extensions.get::<Arc<OpenRequest>>()).cloned()
}

impl ServerHandler for McpService {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_tasks()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("colloquium", env!("CARGO_PKG_VERSION")))
            .with_protocol_version(ProtocolVersion::V_2025_11_25)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        request: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.answer("tools/list", Value::Null, request).await
    }

    /// The SDK checks the headers of a call by the schema of its tool.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        let row = TOOLS.iter().find(|row| row.name == name)?;
        serde_json::from_value(row.listed()).ok()
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let takes_tasks = request.client_capabilities().is_some_and(|can| can.supports_tasks());
        // the earlier era lacks this kind of result, although some of its clients declare the extension
        if takes_tasks && is_modern(&request) && tasks::TOOLS.contains(&&*params.name) {
            return self.start(params, request).await;
        }
        let result: CallToolResult = self.answer("tools/call", params, request).await?;
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        request: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.answer("resources/list", Value::Null, request).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        request: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.answer("resources/templates/list", Value::Null, request).await
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = params.uri.clone();
        let answer = self.answer("resources/read", params, request).await;
        let named = |mut e: ErrorData| {
            e.data = Some(json!({"uri": uri}));
            e
        };
        let result: ReadResourceResult = answer.map_err(named)?;
        Ok(result.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        request: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.answer("prompts/list", Value::Null, request).await
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let result: GetPromptResult = self.answer("prompts/get", params, request).await?;
        Ok(result.into())
    }

    async fn get_task(
        &self,
        params: GetTaskParams,
        request: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let id = params.task_id;
        let state = self.work(request, move |jobs, context, _| tasks::state(&id, jobs, context));
        Ok(GetTaskResult::new(state.await?))
    }

    async fn update_task(
        &self,
        params: UpdateTaskParams,
        request: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // a task asks its client for nothing, so that there is nothing to update
        let id = params.task_id;
        let known = self.work(request, move |jobs, context, _| tasks::state(&id, jobs, context));
        known.await.map(drop)
    }

    async fn cancel_task(
        &self,
        params: CancelTaskParams,
        request: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let id = params.task_id;
        self.work(request, move |jobs, context, _| tasks::cancel(&id, jobs, context)).await
    }
}
