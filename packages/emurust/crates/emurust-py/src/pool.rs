//! The threads that step a batch; they are started anew in a child process, which has none of its parent's.

use pyo3::prelude::*;

use emurust_core::EmuError;

use crate::raise;

pub(crate) struct Pool {
    threads: usize,
    process: u32,
    pool: rayon::ThreadPool,
}

fn start(threads: usize) -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build()
}

impl Pool {
    /// As many threads, or one per core for 0.
    pub(crate) fn new(threads: usize) -> PyResult<Self> {
        let pool = start(threads).map_err(|error| {
            let text = format!("cannot start {threads} threads: {error}");
            raise(EmuError::InvalidArgument(text))
        })?;
        Ok(Self {
            threads,
            process: std::process::id(),
            pool,
        })
    }

    pub(crate) fn get(&mut self) -> &rayon::ThreadPool {
        let process = std::process::id();
        if process != self.process {
            self.process = process;
            // one thread is this one: a child that may start no other still runs
            if let Ok(pool) = start(self.threads) {
                // the old one has threads to say goodbye to that are not here
                std::mem::forget(std::mem::replace(&mut self.pool, pool));
            }
        }
        &self.pool
    }
}
