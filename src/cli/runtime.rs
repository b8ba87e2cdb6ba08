//! Creation of the runtime that runs on the calling thread.

use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use rustix::process::{Resource, getrlimit};
use std::future::Future;
use std::io;
use std::time::Duration;
use tokio::runtime::Builder;
use tokio::time::timeout;

/// Time after which a wait is reported; shorter than the time that servers have for one question.
const PATIENCE: Duration = Duration::from_millis(800);
/// Time after which an idle helper thread ends.
const IDLE_THREAD: Duration = Duration::from_secs(1);

/// Runs work to completion. Background tasks that still block then, such as an uninterruptible read or a search through
/// a folder, are abandoned.
pub fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    check_open_files()?;
    let runtime = Builder::new_current_thread()
        .enable_all()
        // an idle helper thread would wake the process
        .thread_keep_alive(IDLE_THREAD)
        .build()
        .map_err(refused)?;
    // the future is large: box it, so that it is moved only once
    let done = runtime.block_on(Box::pin(work));
    runtime.shutdown_background();
    done
}

/// Runs work that needs something outside this program to completion; a wait is reported with the name of that thing.
pub fn wait_for<T>(
    what: &str,
    context: &Context,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    block_on(reported(what, context, work))
}

/// Awaits work that needs something outside this program; a wait is reported with the name of that thing.
pub async fn reported<T>(what: &str, context: &Context, work: impl Future<Output = T>) -> T {
    let mut work = Box::pin(work);
    if let Ok(done) = timeout(PATIENCE, &mut work).await {
        return done;
    }
    if context.awaited.replace(what.to_owned()) != what {
        context.say_alive(&format!("waiting for {what}; Ctrl-C stops"));
    }
    work.await
}

/// Number of open files below which the library of signals fails with a panic.
const OPEN_FILES_MIN: u64 = 16;

/// Rejects a limit of open files with which no runtime can start.
fn check_open_files() -> Result<(), Failure> {
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    if limit >= OPEN_FILES_MIN {
        return Ok(());
    }
    let message = format!("the limit of open files is {limit}, which is too low");
    Err(Failure::new(Exit::Failed, message).hint("raise it: ulimit -n 1024"))
}

/// Returns the failure for a rejected system call.
pub fn refused(e: io::Error) -> Failure {
    Failure::new(Exit::Failed, format!("system error: {e}"))
}
