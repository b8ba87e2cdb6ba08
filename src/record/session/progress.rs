//! Progress of a long operation, for the terminal.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Progress of a long operation; clones share it.
#[derive(Clone, Debug, Default)]
pub struct ReadProgress(Arc<Steps>);

#[derive(Debug, Default)]
struct Steps {
    done: AtomicU64,
    of: AtomicU64,
}

impl ReadProgress {
    /// Starts an operation of `of` steps.
    pub fn begin(&self, of: u64) {
        self.0.done.store(0, Ordering::Relaxed);
        self.0.of.store(of, Ordering::Relaxed);
    }

    /// Sets the number of finished steps.
    pub fn stand(&self, done: u64) {
        self.0.done.store(done, Ordering::Relaxed);
    }

    /// Adds a finished step.
    pub fn step(&self) {
        self.0.done.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts each item of an iterator as a step; if it ends early, the rest of the `of` steps counts as done.
    pub fn through<I: Iterator>(
        &self,
        items: I,
        of: usize,
    ) -> impl Iterator<Item = I::Item> + use<I> {
        let mut counted = Counted { progress: self.clone(), left: of as u64 };
        items.inspect(move |_| {
            counted.progress.step();
            counted.left = counted.left.saturating_sub(1);
        })
    }

    /// Returns the percentage done; 0 before the operation begins.
    pub fn percent(&self) -> u64 {
        let done = self.0.done.load(Ordering::Relaxed);
        let of = self.0.of.load(Ordering::Relaxed);
        (done.min(of).saturating_mul(100)).checked_div(of).unwrap_or(0)
    }
}

/// Number of finished steps at the end, however the iterator ends.
struct Counted {
    progress: ReadProgress,
    left: u64,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.progress.0.done.fetch_add(self.left, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_is_done_over_total() {
        let progress = ReadProgress::default();
        assert_eq!(progress.percent(), 0);
        progress.begin(8);
        progress.step();
        assert_eq!(progress.percent(), 12);
        progress.stand(4);
        assert_eq!(progress.percent(), 50);
        progress.stand(9);
        assert_eq!(progress.percent(), 100);
        progress.begin(8);
        assert_eq!(progress.percent(), 0);
        let mut some = progress.through(0..8, 4);
        assert_eq!((some.next(), progress.percent()), (Some(0), 12));
        drop(some);
        assert_eq!(progress.percent(), 50);
    }
}
