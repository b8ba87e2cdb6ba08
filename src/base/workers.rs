//! Distributes jobs over several threads: each takes the next job as soon as it is free.

use parking_lot::Mutex;
use std::sync::mpsc;
use std::thread;

/// The stack of a thread that runs conversations, in bytes: as much as the program's own has.
const STACK_BYTES: usize = 8 * 1024 * 1024;

/// Runs jobs on a number of threads. `next` returns the jobs one at a time; `done` receives each result on the calling
/// thread, as soon as its job ends. Neither jobs nor results are collected.
pub fn share<J: Send, R: Send>(
    threads: usize,
    next: impl FnMut() -> Option<J> + Send,
    work: impl Fn(J) -> R + Sync,
    mut done: impl FnMut(R),
) {
    let next = Mutex::new(next);
    thread::scope(|scope| {
        let (tell, told) = mpsc::sync_channel(threads.max(1));
        for _ in 0..threads.max(1) {
            let tell = tell.clone();
            let next = &next;
            let work = &work;
            let run = move || {
                loop {
                    let piece = (next.lock())();
                    let Some(piece) = piece else { return };
                    if tell.send(work(piece)).is_err() {
                        return;
                    }
                }
            };
            // a system that has no thread to give leaves the work to those it gave
            let _ = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run);
        }
        drop(tell);
        told.into_iter().for_each(&mut done);
    });
}
