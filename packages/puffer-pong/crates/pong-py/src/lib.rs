//! Thin Python binding of `pong-core`: checks buffers, releases the interpreter lock, maps errors.
#![forbid(unsafe_code)]

mod errors;

use std::sync::{Mutex, MutexGuard};

use numpy::PyArray1;
use pong_core::action::{Continuous, DiscreteF32, DiscreteI32, DiscreteI64};
use pong_core::observation::OBSERVATION_SIZE;
use pong_core::rng::{GLIBC_DEGREE, GlibcRand};
use pong_core::state::{STATE_WORDS, State};
use pong_core::{Generator, Outputs, Params, PongError, VecPong};
use pyo3::prelude::*;
use rlenv_host::buffers::{read, write, wrong_array};
use rlenv_host::errors::{Kind, exception, guarded};

use crate::errors::to_python;

/// Names and order of the words of one row of `get_state`.
const STATE_FIELDS: [&str; STATE_WORDS] = [
    "paddle_left_y",
    "paddle_right_y",
    "ball_x",
    "ball_y",
    "ball_vx",
    "ball_vy",
    "score_left",
    "score_right",
    "tick",
    "bounces",
    "key0",
    "key1",
    "counter",
];

/// A batch of Pong environments that write into NumPy arrays of the caller.
#[pyclass(frozen)]
struct Batch {
    envs: Mutex<VecPong>,
    num_envs: usize,
    continuous: bool,
}

impl Batch {
    /// The environments, unless another Python thread is stepping them or a panic left them half-way.
    fn lock(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, VecPong>> {
        self.envs.try_lock().map_err(|_| {
            let message = "environments: got a call while another runs or after one failed, expected one at a time; use one batch per thread";
            exception(py, Kind::Env, message)
        })
    }

    /// Shape of an array of one entry per environment.
    fn scalars(&self) -> [usize; 1] {
        [self.num_envs]
    }

    /// Shape of an array of one row per environment.
    fn rows(&self, length: usize) -> [usize; 2] {
        [self.num_envs, length]
    }

    fn step_as<'py, A>(
        &self,
        py: Python<'py>,
        actions: &Bound<'py, PyArray1<A::Raw>>,
        out: [&Bound<'py, PyAny>; 4],
    ) -> PyResult<()>
    where
        A: pong_core::action::Action,
        A::Raw: numpy::Element,
    {
        let [observations, rewards, terminals, final_observations] = out;
        let actions = read("actions", actions)?;
        let mut observations = write::<f32>("observations", observations, &self.rows(OBSERVATION_SIZE))?;
        let mut rewards = write::<f32>("rewards", rewards, &self.scalars())?;
        let mut terminals = write::<bool>("terminals", terminals, &self.scalars())?;
        let mut final_observations =
            write::<f32>("final_observations", final_observations, &self.rows(OBSERVATION_SIZE))?;
        let mut envs = self.lock(py)?;
        let actions = actions.as_slice()?;
        let out = Outputs {
            observations: observations.as_slice_mut()?,
            rewards: rewards.as_slice_mut()?,
            terminals: terminals.as_slice_mut()?,
            final_observations: final_observations.as_slice_mut()?,
        };
        let envs = &mut *envs;
        guarded(py, || py.detach(|| envs.step::<A>(actions, out)))?.map_err(|error| to_python(py, &error))
    }
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (num_envs, *, width, height, paddle_width, paddle_height, ball_width, ball_height, paddle_speed,
        ball_initial_speed_x, ball_initial_speed_y, ball_max_speed_y, ball_speed_y_increment, max_score, frameskip,
        float_scores, continuous, glibc, num_threads))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        num_envs: usize,
        width: f64,
        height: f64,
        paddle_width: f64,
        paddle_height: f64,
        ball_width: f64,
        ball_height: f64,
        paddle_speed: f64,
        ball_initial_speed_x: f64,
        ball_initial_speed_y: f64,
        ball_max_speed_y: f64,
        ball_speed_y_increment: f64,
        max_score: u32,
        frameskip: u32,
        float_scores: bool,
        continuous: bool,
        glibc: bool,
        num_threads: usize,
    ) -> PyResult<Self> {
        let params = Params {
            width: width as f32,
            height: height as f32,
            paddle_width: paddle_width as f32,
            paddle_height: paddle_height as f32,
            ball_width: ball_width as f32,
            ball_height: ball_height as f32,
            paddle_speed: paddle_speed as f32,
            ball_initial_speed_x: ball_initial_speed_x as f32,
            ball_initial_speed_y: ball_initial_speed_y as f32,
            ball_max_speed_y: ball_max_speed_y as f32,
            ball_speed_y_increment: ball_speed_y_increment as f32,
            max_score,
            frameskip,
            float_scores,
        };
        let generator = if glibc { Generator::Glibc(GlibcRand::new(1)) } else { Generator::Counter };
        let envs = guarded(py, || VecPong::new(params, num_envs, num_threads, generator))?
            .map_err(|error| to_python(py, &error))?;
        Ok(Self { envs: Mutex::new(envs), num_envs, continuous })
    }

    /// Begin an episode everywhere.
    #[pyo3(signature = (seed, observations))]
    fn reset<'py>(&self, py: Python<'py>, seed: Option<u64>, observations: &Bound<'py, PyAny>) -> PyResult<()> {
        let mut observations = write::<f32>("observations", observations, &self.rows(OBSERVATION_SIZE))?;
        let observations = observations.as_slice_mut()?;
        let mut envs = self.lock(py)?;
        let envs = &mut *envs;
        guarded(py, || py.detach(|| envs.reset(seed, observations)))?.map_err(|error| to_python(py, &error))
    }

    /// Step everywhere.
    fn step<'py>(
        &self,
        py: Python<'py>,
        actions: &Bound<'py, PyAny>,
        observations: &Bound<'py, PyAny>,
        rewards: &Bound<'py, PyAny>,
        terminals: &Bound<'py, PyAny>,
        final_observations: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        let out = [observations, rewards, terminals, final_observations];
        if let Ok(actions) = actions.cast::<PyArray1<f32>>() {
            return if self.continuous {
                self.step_as::<Continuous>(py, actions, out)
            } else {
                self.step_as::<DiscreteF32>(py, actions, out)
            };
        }
        if !self.continuous {
            if let Ok(actions) = actions.cast::<PyArray1<i64>>() {
                return self.step_as::<DiscreteI64>(py, actions, out);
            }
            if let Ok(actions) = actions.cast::<PyArray1<i32>>() {
                return self.step_as::<DiscreteI32>(py, actions, out);
            }
        }
        let expected = if self.continuous { "[num_envs] of float32" } else { "[num_envs] of int64, int32 or float32" };
        Err(wrong_array(actions, "actions", expected))
    }

    /// Observe everywhere without stepping.
    fn observe<'py>(&self, py: Python<'py>, observations: &Bound<'py, PyAny>) -> PyResult<()> {
        let mut observations = write::<f32>("observations", observations, &self.rows(OBSERVATION_SIZE))?;
        let observations = observations.as_slice_mut()?;
        self.lock(py)?.observe(observations).map_err(|error| to_python(py, &error))
    }

    /// Write every environment's state words.
    fn get_state<'py>(&self, py: Python<'py>, words: &Bound<'py, PyAny>) -> PyResult<()> {
        let mut words = write::<u32>("states", words, &self.rows(STATE_WORDS))?;
        let rows = words.as_slice_mut()?.as_chunks_mut().0;
        for (row, state) in rows.iter_mut().zip(self.lock(py)?.states()) {
            *row = state.to_words();
        }
        Ok(())
    }

    /// Replace every environment's state.
    fn set_state<'py>(&self, py: Python<'py>, words: &Bound<'py, PyAny>) -> PyResult<()> {
        let words = write::<u32>("states", words, &self.rows(STATE_WORDS))?;
        let states: Vec<State> = words.as_slice()?.as_chunks().0.iter().map(State::from_words).collect();
        self.lock(py)?.set_states(&states).map_err(|error| to_python(py, &error))
    }

    /// Words of glibc's generator, oldest first; None if every environment has its own generator.
    fn get_glibc(&self, py: Python<'_>) -> PyResult<Option<Vec<u32>>> {
        Ok(match self.lock(py)?.generator() {
            Generator::Counter => None,
            Generator::Glibc(rand) => Some(rand.words().to_vec()),
        })
    }

    /// Continue from words of glibc's generator.
    fn set_glibc(&self, py: Python<'_>, words: Vec<u32>) -> PyResult<()> {
        let words: [u32; GLIBC_DEGREE] = words.try_into().map_err(|words: Vec<u32>| {
            to_python(py, &PongError::BufferLength { name: "glibc words", got: words.len(), expected: GLIBC_DEGREE })
        })?;
        self.lock(py)?.restore_glibc(GlibcRand::from_words(words));
        Ok(())
    }

    /// `(episodes, perf, score, length)` summed over the episodes that finished since the last call.
    fn take_log(&self, py: Python<'_>) -> PyResult<(u64, f64, i64, u64)> {
        let log = self.lock(py)?.take_log();
        Ok((log.episodes, log.perf, log.score, log.length))
    }

    /// Panic inside the guard, to show what callers see.
    fn _panic(&self, py: Python<'_>) -> PyResult<()> {
        guarded(py, || panic!("asked for"))
    }
}

/// The compiled half of `puffer_pong`.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("STATE_FIELDS", STATE_FIELDS)?;
    module.add_class::<Batch>()?;
    Ok(())
}
