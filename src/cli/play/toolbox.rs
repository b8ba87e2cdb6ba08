//! Tools of a run as allowed by its options, checked before anything starts.

use crate::cli::args::Play;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::runtime::wait_for;
use crate::cli::trust::allowed::{Allowed, Consent};
use crate::cli::trust::pins;
use crate::model::agent::{AGENT_TOOLS, permission};
use crate::model::{Command, Participant, Secret, Text, Tool, ToolServer, ToolSource, VoiceSpec};
use crate::scenario::Loaded;
use crate::spawn::ChildEnvironment;
use crate::state::policies::plan;
use crate::tool::{Folder, OfferedTools, ToolScripts, ToolServers, Toolbox, Tools};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Returns the tools that the seats of a conversation may use; its scripts run in `folder`.
///
/// # Errors
/// If a seat reads files and no folder was given for that, or the folder does not exist.
pub fn toolbox<'a>(
    seats: impl IntoIterator<Item = &'a Participant>,
    allowed: Allowed,
    folder: PathBuf,
    play: &Play,
    context: &Context,
) -> Result<Arc<dyn Tools>, Failure> {
    let files = play.tools.files.as_ref().map(|path| {
        Folder::new(path).map(Arc::new).map_err(|e| {
            let message = format!("--files {}: {e}", path.display());
            Failure::usage(message, "name an existing folder")
        })
    });
    let files = files.transpose()?;
    let asks = |seat: &&Participant| seat.voice.is_model();
    let seats = seats.into_iter().flat_map(Participant::everyone);
    let readers = seats.filter(asks).flat_map(|seat| {
        let reads = seat.tools.iter().filter(|tool| tool.reads_files());
        reads.map(|tool| (seat.id.clone(), tool.name.clone()))
    });
    if let (Some((seat, tool)), None) = (readers.into_iter().next(), &files) {
        let message =
            format!("{seat} has the tool {tool}, and no folder is named that it may read");
        return Err(Failure::new(Exit::Invalid, message)
            .hint("name a folder with --files FOLDER; nothing outside it is read"));
    }
    let servers = tool_servers(allowed.clone(), folder.clone(), context)?;
    let environment = ChildEnvironment::allowed(context.environment.for_children());
    let scripts = ToolScripts {
        permits: Arc::new(move |command| allowed.permits(command)),
        folder,
        environment,
    };
    Ok(Arc::new(Toolbox { scripts, servers, folder: files }))
}

/// Gives file-reading tools to the participants that a plan uses as executors if the operator named a folder. Applies
/// to models without tools of their own.
pub fn give_files(loaded: &mut Loaded, play: &Play) {
    let scenario = &loaded.scenario;
    let policies = scenario.phases.iter().map(|phase| &phase.policy).chain([&scenario.policy]);
    let executors: Vec<&str> = policies.filter_map(plan::executor).collect();
    let needs = |seat: &&mut Participant| {
        let model = seat.voice.is_model();
        model && seat.tools.is_empty() && executors.contains(&&*seat.id.0)
    };
    if play.tools.files.is_none() {
        return;
    }
    for seat in loaded.participants.iter_mut().filter(needs) {
        seat.tools = Tool::BUILT_IN.into_iter().filter_map(Tool::built_in).collect();
    }
}

fn tool_servers(
    allowed: Allowed,
    folder: PathBuf,
    context: &Context,
) -> Result<ToolServers, Failure> {
    let environment = ChildEnvironment::allowed(context.environment.for_children());
    let key = |(address, name): (String, String)| {
        let value = context.environment.get(&name).and_then(OsStr::to_str).map(str::trim);
        let key =
            value.ok_or_else(|| format!("needs the environment variable {name}, which is not set"));
        (address.into(), key.map(|key| Secret::new(key.to_owned())))
    };
    let keys = context.settings()?.tools.keys.into_iter().map(key).collect();
    let permits = Arc::new(move |place: &[Text]| allowed.permits(place));
    Ok(ToolServers::new(permits, folder, environment, keys))
}

/// Requests the tools of the servers that seats name and gives each seat its named tools, so that the log records the
/// tools of a conversation. The offer of a server is pinned: a change is shown and needs consent.
///
/// # Errors
/// If a server cannot be reached, lacks a named tool, or changed its tools without consent.
pub fn meet_servers(
    seats: &mut [Participant],
    allowed: &Allowed,
    folder: &Path,
    play: &Play,
    context: &Context,
) -> Result<(), Failure> {
    let consent = Consent::of_changed_tools(play);
    let mut met: BTreeMap<Text, Vec<Tool>> = BTreeMap::new();
    let servers = tool_servers(allowed.clone(), folder.to_owned(), context)?;
    for seat in seats.iter_mut() {
        if let VoiceSpec::Team(team) = &mut seat.voice {
            meet_servers(&mut team.participants, allowed, folder, play, context)?;
        }
    }
    for seat in seats.iter_mut().filter(|seat| seat.voice.is_model()) {
        let mut tools: Vec<Tool> = vec![];
        for named in std::mem::take(&mut seat.tools) {
            let ToolSource::Server { server, tool, .. } = &named.source else {
                tools.push(named);
                continue;
            };
            if !met.contains_key(&server.name) {
                let offered = offered(&servers, server, context)?;
                for why in &offered.left_out {
                    context.say(&format!("tool server {}: left out: {why}", server.name));
                }
                pins::check(server, folder, &offered.tools, consent, context)?;
                met.insert(server.name.clone(), offered.tools);
            }
            let offered = met.get(&server.name).map(Vec::as_slice).unwrap_or_default();
            let wanted = |offered: &&Tool| match &offered.source {
                ToolSource::Server { tool: own, .. } => tool.is_empty() || own == tool,
                _ => false,
            };
            let before = tools.len();
            tools.extend(offered.iter().filter(wanted).cloned());
            if tools.len() == before {
                let message =
                    format!("{}: the server {} offers no tool {tool}", seat.id, server.name);
                let names: Vec<&str> = offered.iter().map(|tool| &*tool.name).collect();
                let fix = format!("its tools are {}", names.join(", "));
                return Err(Failure::new(Exit::Invalid, message).hint(fix));
            }
        }
        let mut names = BTreeSet::new();
        if let Some(twice) = tools.iter().find(|tool| !names.insert(tool.name.clone())) {
            let message = format!("{} has two tools named {}", seat.id, twice.name);
            return Err(Failure::new(Exit::Invalid, message).hint("rename the server or the tool"));
        }
        seat.tools = tools;
    }
    Ok(())
}

/// Requests the tools of the servers again when a session is resumed. Its seats keep the tools from its log, which have
/// to match the current offer.
///
/// # Errors
/// If a server cannot be reached, or a tool is gone or changed and the operator does not consent.
pub fn meet_again(
    seats: &[Participant],
    allowed: &Allowed,
    folder: &Path,
    play: &Play,
    context: &Context,
) -> Result<(), Failure> {
    let mut had: BTreeMap<&Text, (&ToolServer, Vec<Tool>)> = BTreeMap::new();
    let asks = |seat: &&Participant| seat.voice.is_model();
    for tool in seats.iter().filter(asks).flat_map(|seat| &seat.tools) {
        if let ToolSource::Server { server, .. } = &tool.source {
            had.entry(&server.name).or_insert((server, vec![])).1.push(tool.clone());
        }
    }
    let servers = tool_servers(allowed.clone(), folder.to_owned(), context)?;
    let consent = Consent::of_changed_tools(play);
    had.into_iter().try_for_each(|(name, (server, tools))| {
        let now = offered(&servers, server, context)?.tools;
        pins::check_session(name, &tools, &now, consent, context)
    })
}

fn offered(
    servers: &ToolServers,
    server: &ToolServer,
    context: &Context,
) -> Result<OfferedTools, Failure> {
    let asked = async { Ok(servers.offered(server).await) };
    let offered = wait_for(&format!("the tool server {}", server.name), context, asked)?;
    offered.map_err(|why| {
        let fix = "see whether it starts by itself, or take it out of the scenario";
        Failure::new(Exit::Invalid, why).hint(fix)
    })
}

/// Returns the commands that allow tools before anything starts: tools from the options, and tools from the settings
/// that a participant has.
pub fn decisions<'a>(
    play: &Play,
    seats: impl IntoIterator<Item = &'a Participant>,
    context: &Context,
) -> Result<Vec<Command>, Failure> {
    let seats: Vec<&Participant> = seats.into_iter().collect();
    let allow =
        |name: &String| Command::Decide { tool: name.as_str().into(), yes: true, once: false };
    let has = |name: &&String| {
        seats.iter().any(|seat| match seat.voice {
            VoiceSpec::Agent(_) => {
                AGENT_TOOLS.iter().any(|sort| *permission(&seat.id, sort) == ***name)
            }
            _ => seat.tools.iter().any(|tool| *tool.name == ***name && !tool.read_only),
        })
    };
    let settings = context.settings()?.tools.allow;
    let own = settings.iter().filter(|name| !play.tools.allow_tool.contains(name)).filter(has);
    Ok(play.tools.allow_tool.iter().chain(own).map(allow).collect())
}
