// Whole episodes: from one integer, or from seeds, teams and a list of choices.
import {RequestError} from './serve.mjs';
import {derive} from './seeds.mjs';
import {Play, generateTeam} from './play.mjs';
import {Policy} from './policy.mjs';

const MAX_DECISIONS = 3000;

/**
 * Plays an episode and hands over each decision as `visit(play, choices)`; choices are null at the end.
 *
 * @param {{episode?: string, policy?: string, seed?: string, teams?: [string, string], choices?: [string, string][],
 *   setup?: object[]}} spec
 *   `episode`: the integer from which what is not given follows; otherwise `seed` and `teams` are needed.
 *   `setup`: changes before the first decision (setup.mjs).
 *   `choices`: the choices to make; the episode stops where they end.  Without them the policy plays on.
 */
export function playEpisode(spec, options, visit) {
  const derived = spec.episode === undefined ? null : derive(spec.episode);
  const seed = spec.seed ?? derived?.battle;
  const teams = spec.teams ?? derived?.teams.map(team => generateTeam(team, spec.format));
  if (seed === undefined || teams === undefined) {
    throw new RequestError('an episode needs its integer (episode), or a seed and teams');
  }
  const play = new Play({seed, teams, setup: spec.setup, format: spec.format}, options);
  const policy = spec.choices ? null : new Policy(spec.policy ?? 'uniform', derived?.policy ?? 0);
  const limit = Math.min(spec.choices?.length ?? Infinity, spec.max_decisions ?? MAX_DECISIONS);
  while (!play.ended && play.decisions < limit) {
    const choices = policy ? policy.choose(play) : spec.choices[play.decisions];
    const checked = play.checked(choices);
    visit(play, choices);
    play.commit(checked);
  }
  visit(play, null);
  return play;
}

/** Header of a recording: everything that another simulator needs to play the same battle. */
export const header = play => ({seed: play.seed, teams: play.teams, constants: play.constants});
