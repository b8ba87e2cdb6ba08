//! The one place that makes a runtime, on the thread that calls.

use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use std::future::Future;
use std::io;
use std::time::Duration;
use tokio::runtime::Builder;

/// How long a helper thread without work is kept.
const IDLE_THREAD: Duration = Duration::from_secs(1);

/// Runs work to its end. What still blocks in the background then, such as a read that cannot be broken off or a search
/// through a folder, is not waited for.
pub fn block_on<T>(work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        // a helper thread that waits for work would wake a program that is at rest
        .thread_keep_alive(IDLE_THREAD)
        .build()
        .map_err(refused)?;
    // a conversation is large: it is moved once, not from stack to stack
    let done = runtime.block_on(Box::pin(work));
    runtime.shutdown_background();
    done
}

/// Returns the failure of a request that the system refused.
pub fn refused(e: io::Error) -> Failure {
    Failure::new(Exit::Failed, format!("system error: {e}"))
}
