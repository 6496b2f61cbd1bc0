// The entry of a kernel that this machine plays; included after its text.
#pragma once
struct Job { const call* arguments; int steps; s_i64 batch; };
static Job job;
static void lane_body() {
  rlenv_kernel(*job.arguments, job.steps, job.batch);
  threads.ended[threads.lane] = true;
}
// 0, or what went wrong: 1 too little memory, 2 threads that vote together at different votes.  Not for several threads at once.
extern "C" __attribute__((visibility("default"))) int rlenv_play(
    const void* const* in, void* const* out, long batch, int steps, int64_t* runs) {
  call c;
  for (int i = 0; i < INPUTS; i++) c.in[i] = in[i];
  for (int i = 0; i < OUTPUTS; i++) c.out[i] = out[i];
  Denormals flushed;
  threads.stacks = (char*)malloc(Threads::SIZE * Threads::STACK);
  if (!threads.stacks) return 1;
  threads.apart = false, threads.runs = (s_i64*)runs, threads.batch = batch;
  job = {&c, steps, batch};
  for (threads.first = 0; threads.first < batch && !threads.apart; threads.first += THREADS) threads.play(lane_body);
  free(threads.stacks);
  return threads.apart ? 2 : 0;
}
