//! `cargo bench -p pong-core`: steps of a batch on one thread, with random actions.
use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pong_core::action::DiscreteI64;
use pong_core::rng::CounterRng;
use pong_core::{Generator, Outputs, Params, VecPong};

const ENVS: usize = 1024;

fn step(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("step");
    group.throughput(Throughput::Elements(ENVS as u64)).measurement_time(Duration::from_secs(2));
    for frameskip in [1, 8] {
        let params = Params { frameskip, ..Params::default() };
        let mut envs = VecPong::new(params, ENVS, 1, Generator::Counter).expect("valid parameters");
        let (mut observations, mut final_observations) = (vec![0.0; ENVS * 8], vec![0.0; ENVS * 8]);
        let (mut rewards, mut terminals) = (vec![0.0; ENVS], vec![false; ENVS]);
        envs.reset(Some(0), &mut observations).expect("buffers fit");
        let mut policy = CounterRng::from_seed(1, 0);
        let actions: Vec<Vec<i64>> =
            (0..64).map(|_| (0..ENVS).map(|_| i64::from(policy.rand() % 3)).collect()).collect();
        let mut time = 0;
        group.bench_function(BenchmarkId::new("frameskip", frameskip), |bencher| {
            bencher.iter(|| {
                time = (time + 1) % actions.len();
                let out = Outputs {
                    observations: &mut observations,
                    rewards: &mut rewards,
                    terminals: &mut terminals,
                    final_observations: &mut final_observations,
                };
                envs.step::<DiscreteI64>(black_box(&actions[time]), out).expect("legal actions");
            });
        });
    }
    group.finish();
}

criterion_group!(benches, step);
criterion_main!(benches);
