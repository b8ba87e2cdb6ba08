//! Services for a screen: files, sessions, an editor, programs of the system.

use crate::cli::args::{ModelOptions, SessionName};
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exporting::export_to_new_file;
use crate::cli::memory::private_file::{keep_draft, keep_last_copy};
use crate::cli::models::providers::Providers;
use crate::cli::models::survey;
use crate::cli::play::editor;
use crate::cli::session_file;
use crate::engine::Input;
use crate::session::replay::Recording;
use crate::session::{ReadProgress, SessionFiles, Tail};
use crate::spawn::{open_with_system, start_aside};
use crate::ui::request::ServiceFault;
use crate::ui::terminal::{self, Terminal};
use crate::ui::view::branches::{OtherSession, SessionList};
use crate::ui::view::models::ReachableModel;
use crate::ui::{Screen, ScreenMode, run};
use crate::{analysis, catalogue};
use std::cell::Cell;
use std::io;
use tokio::sync::mpsc;

/// Shows a screen of a session on the terminal until the user leaves, and provides its services. `lent` is set while an
/// editor uses the terminal, and is `None` on a read-only screen. `models` locates the models.
pub async fn show(
    screen: &mut Screen,
    tail: Tail,
    commands: mpsc::Sender<Input>,
    files: &SessionFiles,
    lent: Option<&Cell<bool>>,
    models: &ModelOptions,
    context: &Context,
) -> io::Result<run::LeaveTo> {
    let terminal = Terminal::enter(screen.modes)?;
    let keep = |words: &str| keep_last_copy(&context.paths.state, words);
    let is_own = matches!(screen.view.mode, ScreenMode::Live);
    let draft = |words: &str| {
        if is_own {
            // a failure to keep the draft is not worth failing now
            let _ = keep_draft(&context.paths.state, &files.id(), words);
        }
    };
    let export = |format: &str| export_to_new_file(files.log(), format, context);
    let open = |address: &str| open_with_system(address).map_err(|e| e.to_string().into());
    let notify = |told: &str| notify(told, context);
    let edit =
        |draft: String| -> futures::future::LocalBoxFuture<'_, Result<String, ServiceFault>> {
            Box::pin(async move {
                let Some(lent) = lent else {
                    return Err("a recording cannot be changed".into());
                };
                lent.set(true);
                let written = editor::edit(&draft, context).await;
                lent.set(false);
                written
            })
        };
    let reachable =
        || -> futures::future::LocalBoxFuture<'_, Result<Vec<ReachableModel>, ServiceFault>> {
            Box::pin(async move {
                let providers =
                    Providers::new(context, models).map_err(|failure| failure.message)?;
                Ok(survey::reachable(&providers).await)
            })
        };
    let sessions = || sessions(files, context);
    let other = |name: &str| other(name, context).map_err(|failure| failure.message.into());
    let outside = run::Outside {
        keep: &keep,
        draft: &draft,
        export: &export,
        open: &open,
        notify: &notify,
        edit: &edit,
        models: &reachable,
        sessions: &sessions,
        other: &other,
    };
    run::run(screen, tail, terminal, terminal::events, commands, outside).await
}

/// Starts `notify_command` of the settings, if there is one. It reads the text on its standard input; in an argument,
/// text that begins with a hyphen gets a blank before it, so that no title becomes an option.
fn notify(told: &str, context: &Context) -> Result<(), ServiceFault> {
    let settings = context.settings().map_err(|failure| failure.message)?;
    let words = settings.notify_command.unwrap_or_default();
    let word = |word: &String| {
        let text = word.replace("{what}", told);
        if text.starts_with('-') && word.starts_with("{what}") { format!(" {text}") } else { text }
    };
    let words: Vec<String> = words.iter().map(word).collect();
    start_aside(&words, context.environment.for_desktop(), told)
        .map_err(|e| format!("notify_command: {e}").into())
}

/// Returns the list of all sessions, for the screen of one of them.
fn sessions(here: &SessionFiles, context: &Context) -> Result<SessionList, ServiceFault> {
    let folder = context.paths.sessions();
    let all = catalogue::list(&folder, analysis::headline, &ReadProgress::default());
    let all = all.map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    Ok(SessionList { all, here: here.id() })
}

/// Reads another session to show it beside the current one.
pub fn other(name: &str, context: &Context) -> Result<OtherSession, Failure> {
    let path = session_file::find(&SessionName::from_option(Some(&name.to_owned())), context)?;
    let (survey, recording) = Recording::read(&path, &ReadProgress::default(), &mut |_| {})?;
    Ok(OtherSession { name: survey.files.id(), recording })
}
