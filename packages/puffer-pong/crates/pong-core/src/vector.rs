//! A batch of environments on all threads.

use pulp::{Arch, NullaryFnOnce};
use rayon::prelude::*;
use rlenv_host::threads::Threads;

use crate::action::Action;
use crate::block::{Block, LANES, Rows};
use crate::error::PongError;
use crate::observation::{OBSERVATION_SIZE, Observation};
use crate::params::{Field, Params};
use crate::rng::{CounterRng, GlibcRand};
use crate::state::State;

/// Least frames that are worth handing to another thread together (some 20 to 50 microseconds).
const FRAMES_PER_TASK: usize = 16_384;

/// Statistics of finished episodes, as PufferLib logs them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Log {
    /// Number of episodes.
    pub episodes: u64,
    /// Sum of the agent's share of the points.
    pub perf: f64,
    /// Sum of the agent's points minus the computer's.
    pub score: i64,
    /// Sum of the lengths of the *last rounds*, in steps, which the original calls the episode length.
    pub length: u64,
}

impl Log {
    pub(crate) fn add(&mut self, score_left: u32, score_right: u32, length: u32) {
        self.episodes += 1;
        self.perf += f64::from(score_right) / (f64::from(score_left) + f64::from(score_right));
        self.score += i64::from(score_right) - i64::from(score_left);
        self.length += u64::from(length);
    }
}

/// Where serves come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Generator {
    /// Each environment's own counter: reproducible per environment, for any number of threads.
    Counter,
    /// glibc's one generator for all environments, drawn from in their order: what the unmodified original does.
    /// Steps run on one thread.
    Glibc(GlibcRand),
}

/// Caller-owned buffers, one row per environment.
pub struct Outputs<'a> {
    /// `[n * 8]`: observations after the step.
    pub observations: &'a mut [f32],
    /// `[n]`: rewards of the step.
    pub rewards: &'a mut [f32],
    /// `[n]`: whether the step ended an episode.
    pub terminals: &'a mut [bool],
    /// `[n * 8]`: last observations of ended episodes; other rows are left alone.
    pub final_observations: &'a mut [f32],
}

/// A batch of environments that reset themselves within the step that ends an episode.
pub struct VecPong {
    field: Field,
    num_envs: usize,
    blocks: Vec<Block>,
    generator: Generator,
    threads: Option<Threads>,
}

impl VecPong {
    /// Build `num_envs` environments; call [`VecPong::reset`] before stepping.
    ///
    /// # Errors
    /// An impossible parameter, no environment, or threads that cannot be started.
    pub fn new(params: Params, num_envs: usize, num_threads: usize, generator: Generator) -> Result<Self, PongError> {
        let field = Field::new(params)?;
        for (name, value) in [("num_envs", num_envs), ("num_threads", num_threads)] {
            if value == 0 || value > u32::MAX as usize {
                let (expected, remedy) = ("an integer in [1, 2**32)", "pass at least 1");
                return Err(PongError::InvalidParameter { name, got: value.to_string(), expected, remedy });
            }
        }
        let blocks = num_envs.div_ceil(LANES);
        // Threads that never get a task are never started.
        let useful = num_threads.min(blocks / Self::blocks_per_task(&field)).max(1);
        let parallel = useful > 1 && generator == Generator::Counter;
        let threads = parallel
            .then(|| Threads::new(useful))
            .transpose()
            .map_err(|error| PongError::Threads { got: num_threads, cause: error.to_string() })?;
        Ok(Self { field, num_envs, blocks: vec![Block::default(); blocks], generator, threads })
    }

    fn blocks_per_task(field: &Field) -> usize {
        (FRAMES_PER_TASK / LANES / field.params.frameskip as usize).max(1)
    }

    /// Number of environments.
    pub fn num_envs(&self) -> usize {
        self.num_envs
    }

    /// The parameters.
    pub fn params(&self) -> &Params {
        &self.field.params
    }

    /// Begin an episode in every environment.
    ///
    /// With a seed, environment `i` gets stream `i` of that seed ([`Generator::Counter`]), or glibc's generator is
    /// seeded with `i + seed * num_envs` before each environment's serve, as PufferLib's `vec_reset` does
    /// ([`Generator::Glibc`], where only the low 32 bits of the seed count).  Without one, the generators go on.
    pub fn reset(&mut self, seed: Option<u64>, observations: &mut [f32]) -> Result<(), PongError> {
        length("observations", observations.len(), self.num_envs * OBSERVATION_SIZE)?;
        for (env, row) in rows(observations).iter_mut().enumerate() {
            let (block, lane) = (&mut self.blocks[env / LANES], env % LANES);
            let shared = match &mut self.generator {
                Generator::Counter => {
                    if let Some(seed) = seed {
                        block.seed(lane, CounterRng::from_seed(seed, env as u32));
                    }
                    None
                }
                Generator::Glibc(rand) => {
                    if let Some(seed) = seed {
                        *rand =
                            GlibcRand::new((env as u32).wrapping_add((seed as u32).wrapping_mul(self.num_envs as u32)));
                    }
                    Some(rand)
                }
            };
            block.reset(lane, &self.field, shared);
            *row = block.observe(lane, &self.field);
        }
        Ok(())
    }

    /// One step of every environment.  Results depend neither on the number of threads nor on their timing.
    ///
    /// # Errors
    /// A buffer of wrong length or an illegal action; nothing has been stepped then.
    pub fn step<A: Action>(&mut self, actions: &[A::Raw], out: Outputs<'_>) -> Result<(), PongError> {
        length("actions", actions.len(), self.num_envs)?;
        length("observations", out.observations.len(), self.num_envs * OBSERVATION_SIZE)?;
        length("rewards", out.rewards.len(), self.num_envs)?;
        length("terminals", out.terminals.len(), self.num_envs)?;
        length("final_observations", out.final_observations.len(), self.num_envs * OBSERVATION_SIZE)?;
        check_actions::<A>(actions)?;
        let field = &self.field;
        let (observations, final_observations) = (rows(out.observations), rows(out.final_observations));
        match (&mut self.generator, &mut self.threads) {
            (Generator::Counter, Some(threads)) => {
                let blocks = Self::blocks_per_task(field);
                let envs = blocks * LANES;
                threads.install(|| {
                    let buffers = (
                        self.blocks.par_chunks_mut(blocks),
                        actions.par_chunks(envs),
                        observations.par_chunks_mut(envs),
                        out.rewards.par_chunks_mut(envs),
                        out.terminals.par_chunks_mut(envs),
                        final_observations.par_chunks_mut(envs),
                    );
                    buffers.into_par_iter().for_each(
                        |(blocks, actions, observations, rewards, terminals, final_observations)| {
                            let rows = Rows { observations, rewards, terminals, final_observations };
                            BlocksStep::<A> { blocks, actions, field, shared: None, rows }.run();
                        },
                    );
                });
            }
            (generator, _) => {
                let shared = match generator {
                    Generator::Counter => None,
                    Generator::Glibc(rand) => Some(rand),
                };
                let rows = Rows { observations, rewards: out.rewards, terminals: out.terminals, final_observations };
                BlocksStep::<A> { blocks: &mut self.blocks, actions, field, shared, rows }.run();
            }
        }
        Ok(())
    }

    /// Observe every environment as it is now.
    pub fn observe(&self, observations: &mut [f32]) -> Result<(), PongError> {
        length("observations", observations.len(), self.num_envs * OBSERVATION_SIZE)?;
        for (env, row) in rows(observations).iter_mut().enumerate() {
            *row = self.blocks[env / LANES].observe(env % LANES, &self.field);
        }
        Ok(())
    }

    /// Every environment's state.
    pub fn states(&self) -> impl Iterator<Item = State> + '_ {
        (0..self.num_envs).map(|env| self.blocks[env / LANES].state(env % LANES))
    }

    /// Replace every environment's state.
    ///
    /// # Errors
    /// Wrong number of states, or one that no game reaches; nothing has been replaced then.
    pub fn set_states(&mut self, states: &[State]) -> Result<(), PongError> {
        length("states", states.len(), self.num_envs)?;
        for (index, state) in states.iter().enumerate() {
            self.check_state(index, state)?;
        }
        for (env, state) in states.iter().enumerate() {
            self.blocks[env / LANES].set_state(env % LANES, state);
        }
        Ok(())
    }

    fn check_state(&self, index: usize, state: &State) -> Result<(), PongError> {
        let m = &state.motion;
        let floats = [
            ("paddle_left_y", m.paddle_left_y),
            ("paddle_right_y", m.paddle_right_y),
            ("ball_x", m.ball_x),
            ("ball_y", m.ball_y),
            ("ball_vx", m.ball_vx),
            ("ball_vy", m.ball_vy),
        ];
        for (field, value) in floats {
            if !value.is_finite() {
                let (got, expected) = (value.to_string(), "a finite number");
                return Err(PongError::InvalidState { index, field, got, expected });
            }
        }
        for (field, value) in [("score_left", state.score_left), ("score_right", state.score_right)] {
            if value >= self.field.params.max_score {
                let (got, expected) = (value.to_string(), "less than max_score, which ends an episode");
                return Err(PongError::InvalidState { index, field, got, expected });
            }
        }
        Ok(())
    }

    /// The generator that the environments share, if they do.
    pub fn generator(&self) -> &Generator {
        &self.generator
    }

    /// Continue from the words of a saved glibc generator; without effect on [`Generator::Counter`].
    pub fn restore_glibc(&mut self, restored: GlibcRand) {
        if let Generator::Glibc(rand) = &mut self.generator {
            *rand = restored;
        }
    }

    /// Statistics of the episodes that finished since the last call.
    pub fn take_log(&mut self) -> Log {
        let mut total = Log::default();
        for block in &mut self.blocks {
            let log = std::mem::take(&mut block.log);
            total.episodes += log.episodes;
            total.perf += log.perf;
            total.score += log.score;
            total.length += log.length;
        }
        total
    }
}

/// The step of a run of blocks whose environments have the given rows; the last block may be partly used.
struct BlocksStep<'a, A: Action> {
    blocks: &'a mut [Block],
    actions: &'a [A::Raw],
    field: &'a Field,
    shared: Option<&'a mut GlibcRand>,
    rows: Rows<'a>,
}

impl<A: Action> BlocksStep<'_, A> {
    /// Run with the widest vector instructions of this processor.
    fn run(self) {
        Arch::new().dispatch(self);
    }
}

impl<A: Action> NullaryFnOnce for BlocksStep<'_, A> {
    type Output = ();

    // Must be inlined: `dispatch` calls it from a function that is compiled for the wider instructions.
    #[inline(always)]
    fn call(mut self) {
        let buffers = self
            .blocks
            .iter_mut()
            .zip(self.actions.chunks(LANES))
            .zip(self.rows.observations.chunks_mut(LANES))
            .zip(self.rows.rewards.chunks_mut(LANES))
            .zip(self.rows.terminals.chunks_mut(LANES))
            .zip(self.rows.final_observations.chunks_mut(LANES));
        for (((((block, actions), observations), rewards), terminals), final_observations) in buffers {
            let rows = Rows { observations, rewards, terminals, final_observations };
            block.step::<A>(actions, self.field, self.shared.as_deref_mut(), rows);
        }
    }
}

/// A flat buffer of checked length as observations.
fn rows(buffer: &mut [f32]) -> &mut [Observation] {
    buffer.as_chunks_mut().0
}

fn length(name: &'static str, got: usize, expected: usize) -> Result<(), PongError> {
    if got == expected { Ok(()) } else { Err(PongError::BufferLength { name, got, expected }) }
}

fn check_actions<A: Action>(actions: &[A::Raw]) -> Result<(), PongError> {
    // Without an early exit this loop is vectorised; the culprit is looked for only if there is one.
    if actions.iter().fold(true, |legal, &action| legal & A::is_legal(action)) {
        return Ok(());
    }
    let illegal = actions.iter().enumerate().find(|&(_, &action)| !A::is_legal(action));
    illegal.map_or(Ok(()), |(index, action)| {
        Err(PongError::IllegalAction { index, got: action.to_string(), expected: A::EXPECTED })
    })
}
