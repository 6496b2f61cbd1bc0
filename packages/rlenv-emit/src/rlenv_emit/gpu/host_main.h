// The entry of a kernel that this machine plays; included after its text.
#pragma once
struct Job { const call* arguments; int steps; s_i64 batch; };
static Job job;
static void lane_body() {
  rlenv_kernel(*job.arguments, job.steps, job.batch);
  warp.ended[warp.lane] = true;
}
// 0, or what went wrong: 1 too little memory, 2 lanes of a warp at different votes.  Not for several threads at once.
extern "C" __attribute__((visibility("default"))) int rlenv_play(
    const void* const* in, void* const* out, long batch, int steps, int64_t* runs) {
  call c;
  for (int i = 0; i < INPUTS; i++) c.in[i] = in[i];
  for (int i = 0; i < OUTPUTS; i++) c.out[i] = out[i];
  Denormals flushed;
  warp.stacks = (char*)malloc(Warp::SIZE * Warp::STACK);
  if (!warp.stacks) return 1;
  warp.apart = false, warp.runs = (s_i64*)runs;
  job = {&c, steps, batch};
  for (warp.first = 0; warp.first < batch && !warp.apart; warp.first += Warp::SIZE) warp.play(lane_body);
  free(warp.stacks);
  return warp.apart ? 2 : 0;
}
