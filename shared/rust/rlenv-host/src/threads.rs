//! The threads that step a batch; they are started anew in a child process, which has none of its parent's.

use std::process;

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// A pool of threads that belongs to the process that uses it.
pub struct Threads {
    count: usize,
    process: u32,
    pool: ThreadPool,
}

fn start(count: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(count).thread_name(|i| format!("rlenv-{i}")).build()
}

impl Threads {
    /// As many threads, or one per core for 0.
    ///
    /// # Errors
    /// The system does not start that many.
    pub fn new(count: usize) -> Result<Self, ThreadPoolBuildError> {
        Ok(Self { count, process: process::id(), pool: start(count)? })
    }

    /// Run `body` on these threads.
    pub fn install<R: Send>(&mut self, body: impl FnOnce() -> R + Send) -> R {
        if self.process != process::id() {
            self.process = process::id();
            // A child that may start no other still has the thread it was forked with.
            match start(self.count).or_else(|_| ThreadPoolBuilder::new().use_current_thread().num_threads(1).build()) {
                // The old pool has threads to say goodbye to that are not here.
                Ok(pool) => std::mem::forget(std::mem::replace(&mut self.pool, pool)),
                Err(_) => return body(),
            }
        }
        self.pool.install(body)
    }
}

#[cfg(test)]
mod tests {
    use super::Threads;

    #[test]
    fn work_is_done_on_as_many_threads() {
        let mut threads = Threads::new(3).unwrap();
        assert_eq!(threads.install(rayon::current_num_threads), 3);
        assert_eq!(
            threads.install(|| std::thread::current().name().map(|name| name.starts_with("rlenv-"))),
            Some(true)
        );
    }

    #[test]
    fn another_process_gets_threads_of_its_own() {
        let mut threads = Threads::new(2).unwrap();
        threads.process += 1; // as a child sees it
        assert_eq!(threads.install(rayon::current_num_threads), 2);
        assert_eq!(threads.process, std::process::id());
    }
}
