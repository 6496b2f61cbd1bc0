/* Vector of environments around PufferLib's pong.h, which is included unmodified from the pinned sdist.
 *
 * This file is the project's own.  pong.h calls rand() once per serve and nowhere else; the macro below gives that
 * call to `serve_draw`.  Compiled with -DCOUNTER_RNG the draw comes from the environment's own counter generator
 * (rlenv_shared.counter_rng), without it from the C library, as PufferLib has it. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define OBSERVATION_SIZE 8

typedef struct { uint32_t key0, key1, counter; } Rng;

/* The environment that is being stepped in this thread. */
static _Thread_local Rng *current_rng;
static _Thread_local const float *current_observation;
static _Thread_local float *current_last_observation;

static uint32_t counter_bits(Rng *rng) {
    uint32_t x = rng->counter * 0x9E3779B9u + rng->key0;
    x = (x ^ x >> 16) * 0x7FEB352Du + rng->key1;
    x = (x ^ x >> 15) * 0x846CA68Bu;
    rng->counter += 1;
    return x ^ x >> 16;
}

static int serve_draw(void) {
    /* The round is over and nothing has been observed since: this is the last the finished round showed. */
    memcpy(current_last_observation, current_observation, OBSERVATION_SIZE * sizeof(float));
#ifdef COUNTER_RNG
    return (int)(counter_bits(current_rng) >> 1);
#else
    return rand();
#endif
}

#define rand serve_draw
#include "pong.h"
#undef rand

typedef struct {
    int num_envs;
    Pong *envs;
    Rng *rngs;
    float *last_observations; /* [num_envs][8], of the round that ended last */
} Vec;

static void bind(Vec *vec, int i) {
    current_rng = &vec->rngs[i];
    current_observation = vec->envs[i].observations;
    current_last_observation = vec->last_observations + OBSERVATION_SIZE * i;
}

/* geometry: width, height, paddle_width, paddle_height, ball_width, ball_height, paddle_speed, ball_initial_speed_x,
 * ball_initial_speed_y, ball_max_speed_y, ball_speed_y_increment.  The buffers belong to the caller. */
Vec *vec_make(int num_envs, float *observations, float *actions, float *rewards, unsigned char *terminals,
              float *last_observations, const float *geometry, int max_score, int frameskip, int continuous) {
    Vec *vec = calloc(1, sizeof(Vec));
    if (vec == NULL) return NULL;
    vec->num_envs = num_envs;
    vec->envs = calloc(num_envs, sizeof(Pong));
    vec->rngs = calloc(num_envs, sizeof(Rng));
    vec->last_observations = last_observations;
    if (vec->envs == NULL || vec->rngs == NULL) {
        free(vec->envs); free(vec->rngs); free(vec);
        return NULL;
    }
    for (int i = 0; i < num_envs; i++) {
        Pong *env = &vec->envs[i];
        env->observations = observations + OBSERVATION_SIZE * i;
        env->actions = actions + i;
        env->rewards = rewards + i;
        env->terminals = terminals + i;
        float *const fields[] = {
            &env->width, &env->height, &env->paddle_width, &env->paddle_height, &env->ball_width, &env->ball_height,
            &env->paddle_speed, &env->ball_initial_speed_x, &env->ball_initial_speed_y, &env->ball_max_speed_y,
            &env->ball_speed_y_increment,
        };
        for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) *fields[f] = geometry[f];
        env->max_score = max_score;
        env->frameskip = frameskip;
        env->continuous = continuous;
        init(env);
    }
    return vec;
}

void vec_free(Vec *vec) {
    free(vec->envs); free(vec->rngs); free(vec);
}

/* Counter build: words[3][num_envs] are the generators.  Otherwise PufferLib's own scheme (env_binding.h, vec_reset):
 * srand before each environment's reset, one global stream afterwards. */
void vec_reset(Vec *vec, int seed, const uint32_t *words) {
    int n = vec->num_envs;
    for (int i = 0; i < n; i++) {
#ifdef COUNTER_RNG
        (void)seed;
        vec->rngs[i] = (Rng){words[i], words[n + i], words[2 * n + i]};
#else
        (void)words;
        srand(i + seed * n);
#endif
        bind(vec, i);
        c_reset(&vec->envs[i]);
    }
}

void vec_step(Vec *vec) {
    for (int i = 0; i < vec->num_envs; i++) {
        bind(vec, i);
        c_step(&vec->envs[i]);
    }
}

/* reals[6][num_envs], counts[4][num_envs], words[3][num_envs]; see REALS, COUNTS and WORDS in adapter.py. */
void vec_get(const Vec *vec, float *reals, int32_t *counts, uint32_t *words) {
    int n = vec->num_envs;
    for (int i = 0; i < n; i++) {
        const Pong *env = &vec->envs[i];
        const float real[] = {env->paddle_yl, env->paddle_yr, env->ball_x, env->ball_y, env->ball_vx, env->ball_vy};
        const int32_t count[] = {(int32_t)env->score_l, (int32_t)env->score_r, env->tick, env->n_bounces};
        const uint32_t word[] = {vec->rngs[i].key0, vec->rngs[i].key1, vec->rngs[i].counter};
        for (int f = 0; f < 6; f++) reals[f * n + i] = real[f];
        for (int f = 0; f < 4; f++) counts[f * n + i] = count[f];
        for (int f = 0; f < 3; f++) words[f * n + i] = word[f];
    }
}

void vec_set(Vec *vec, const float *reals, const int32_t *counts, const uint32_t *words) {
    int n = vec->num_envs;
    for (int i = 0; i < n; i++) {
        Pong *env = &vec->envs[i];
        float *const real[] = {&env->paddle_yl, &env->paddle_yr, &env->ball_x,
                               &env->ball_y,    &env->ball_vx,   &env->ball_vy};
        for (int f = 0; f < 6; f++) *real[f] = reals[f * n + i];
        env->score_l = (unsigned)counts[i];
        env->score_r = (unsigned)counts[n + i];
        env->tick = counts[2 * n + i];
        env->n_bounces = counts[3 * n + i];
        vec->rngs[i] = (Rng){words[i], words[n + i], words[2 * n + i]};
    }
}

/* Steps through actions[steps][num_envs] and records everything after each step. */
void vec_rollout(Vec *vec, long steps, const float *actions, float *observations, float *rewards,
                 unsigned char *terminals, float *reals, int32_t *counts, uint32_t *words) {
    size_t n = (size_t)vec->num_envs;
    const Pong *first = vec->envs; /* the buffers are contiguous over environments */
    for (long t = 0; t < steps; t++) {
        memcpy(first->actions, actions + t * n, n * sizeof(float));
        vec_step(vec);
        memcpy(observations + t * n * OBSERVATION_SIZE, first->observations, n * OBSERVATION_SIZE * sizeof(float));
        memcpy(rewards + t * n, first->rewards, n * sizeof(float));
        memcpy(terminals + t * n, first->terminals, n);
        vec_get(vec, reals + t * 6 * n, counts + t * 4 * n, words + t * 3 * n);
    }
}

/* One thread's share of vec_bench. */
typedef struct {
    Vec *vec;
    const float *actions;
    long steps;
    int first, end;
    double reward_sum;
} Share;

static void *run_share(void *argument) {
    Share *share = argument;
    Vec *vec = share->vec;
    double sum = 0;
    for (long t = 0; t < share->steps; t++)
        for (int i = share->first; i < share->end; i++) {
            Pong *env = &vec->envs[i];
            *env->actions = share->actions[t * vec->num_envs + i];
            bind(vec, i);
            c_step(env);
            sum += *env->rewards;
        }
    share->reward_sum = sum;
    return NULL;
}

/* Tight loop over actions[steps][num_envs]; each thread has its own environments and never waits for another.
 * *reward_sum keeps the work alive.  Returns 0, or -1 if a thread or memory could not be had. */
int vec_bench(Vec *vec, long steps, const float *actions, int threads, double *reward_sum) {
    Share *shares = calloc(threads, sizeof(Share));
    pthread_t *others = calloc(threads, sizeof(pthread_t));
    int started = 0;
    if (shares != NULL && others != NULL) {
        for (int k = 0; k < threads; k++) {
            int first = (int)((long)vec->num_envs * k / threads), end = (int)((long)vec->num_envs * (k + 1) / threads);
            shares[k] = (Share){vec, actions, steps, first, end, 0};
        }
        for (started = 1; started < threads; started++)
            if (pthread_create(&others[started], NULL, run_share, &shares[started])) break;
        run_share(&shares[0]);
        for (int k = 1; k < started; k++) pthread_join(others[k], NULL);
        *reward_sum = 0;
        for (int k = 0; k < started; k++) *reward_sum += shares[k].reward_sum;
    }
    free(shares); free(others);
    return started == threads ? 0 : -1;
}
