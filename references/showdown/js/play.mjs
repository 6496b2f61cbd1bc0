// One battle: set up from explicit seeds and teams, asked what is legal, stepped by choices.
import {createHash} from 'node:crypto';
import {Battle, Dex, Teams, extractChannelMessages} from './package.mjs';
import {RequestError} from './serve.mjs';
import {hexSeed, notation} from './seeds.mjs';
import {watch} from './counting.mjs';
import {legalChoices, requestKind} from './legal.mjs';
import {arrange} from './setup.mjs';
import {aux, constants, core, crowned, numberPokemon, summary} from './state.mjs';

export const FORMAT = 'gen9randombattle';
const DETAILS = ['core', 'aux', 'legal'];
const PARTS = [...DETAILS, 'moves', 'hash', 'json'];

/** A team of the format from Showdown's own generator, packed. */
export const generateTeam = (seed, format = FORMAT) => Teams.pack(Teams.generate(format, {seed: notation(seed)}));

/** First 16 hexadecimal digits of the SHA-256 of a value's JSON. */
export const digest = value => createHash('sha256').update(JSON.stringify(value), 'utf8').digest('hex').slice(0, 16);

/** Lines of a log by channel: 0 of spectators, 1 and 2 of the players, -1 of who sees everything; without times. */
function channels(lines, wanted) {
  const found = extractChannelMessages(lines.join('\n'), wanted);
  return Object.fromEntries(wanted.map(one => [one, found[one].filter(line => !line.startsWith('|t:|'))]));
}

export class Play {
  /**
   * @param {{seed: string, teams: [string, string], setup?: object[]} | {json: object, draws?: number} |
   *   {battle: Battle}} setting seed of the battle's generator, packed teams, changes before the first decision
   *   (setup.mjs); or a serialised battle (`Battle.toJSON()`) to go on with, and how many draws to count before it; or a
   *   battle without players that somebody else plays
   * @param {{drawLog?: boolean, messages?: boolean, auxKeys?: string[]}} options what to record besides; of `aux` only
   *   these keys of each Pokémon
   */
  constructor(setting, {drawLog = false, messages = false, auxKeys} = {}) {
    this.decisions = 0;
    this.messages = messages;
    this.auxKeys = auxKeys;
    this.told = 0;
    if (setting.json) this.#goOn(setting, drawLog);
    else if (setting.battle) this.#prepare(setting.battle, drawLog);
    else this.#begin(setting, drawLog);
  }

  #begin({seed, teams, setup, format = FORMAT}, drawLog) {
    if (!Dex.formats.get(format).exists) throw new RequestError(`format ${format}, which Showdown does not have`);
    if (!Array.isArray(teams) || teams.length !== 2) throw new RequestError('teams: expected two packed teams');
    const unpacked = teams.map(team => (typeof team === 'string' ? Teams.unpack(team) : null));
    unpacked.forEach((team, index) => {
      if (!team?.length || team.length > 6) throw new RequestError(`teams[${index}] is no packed team of 1 to 6`);
    });
    this.seed = hexSeed(seed);
    this.teams = teams;
    this.#prepare(new Battle({formatid: format, seed: notation(seed)}), drawLog);
    this.battle.setPlayer('p1', {name: 'p1', team: unpacked[0]});
    this.battle.setPlayer('p2', {name: 'p2', team: unpacked[1]});
    if (setup) arrange(this, setup);
  }

  /** The second player's arrival starts a battle; its Pokémon are numbered and described just before. */
  #prepare(battle, drawLog) {
    this.#watch(battle, drawLog);
    const start = battle.start.bind(battle);
    battle.start = () => {
      this.numbers = numberPokemon(this.battle);
      this.constants = this.battle.sides.map(constants);
      const started = start();
      this.constants = this.battle.sides.map((side, n) => crowned(this.constants[n], side));
      return started;
    };
  }

  /** Counts the draws and the decisions of a battle. */
  #watch(battle, drawLog) {
    this.battle = battle;
    this.counter = watch(battle.prng, {log: drawLog ? [] : null, battle});
    const commit = battle.commitChoices.bind(battle);
    battle.commitChoices = () => {
      commit();
      this.decisions++;
      this.offered = undefined;
    };
  }

  #goOn({json, draws = 0}, drawLog) {
    this.#watch(Battle.fromJSON(JSON.stringify(json)), drawLog);
    this.counter.draws = draws;
    const place = pokemon => pokemon.side.n * 6 + pokemon.side.team.indexOf(pokemon.set);
    this.numbers = new Map(this.battle.sides.flatMap(side => side.pokemon.map(pokemon => [pokemon, place(pokemon)])));
    this.told = this.battle.log.length;
  }

  get ended() {
    return this.battle.ended;
  }

  /** Choices of both sides, `[{requested, accepted}, …]`; found once for a decision, so not to be changed. */
  legal() {
    this.offered ??= this.battle.sides.map(side => (this.ended ? {requested: [], accepted: []} : legalChoices(side)));
    return this.offered;
  }

  /**
   * Choices as Showdown takes them, after a check that changes nothing.
   * @param {[string, string]} choices a text per side, "" for a side that is not asked; "switch #n" is the n-th Pokémon
   *   of the original team, wherever it stands now
   * @throws {RequestError} a choice is not legal
   */
  checked(choices) {
    if (this.ended) throw new RequestError('the battle has ended', 'illegal_action');
    const legal = this.legal();
    return this.battle.sides.map((side, n) => {
      const {accepted} = legal[n];
      const choice = this.#inPlace(side, choices?.[n]);
      if (accepted.length ? !accepted.includes(choice) : choice !== '') {
        const expected = accepted.length ? accepted.join(', ') : 'an empty text, this side is not asked';
        const where = `side ${n}, decision ${this.decisions}`;
        throw new RequestError(`${where}: choice ${JSON.stringify(choice)}, expected ${expected}`, 'illegal_action');
      }
      return choice;
    });
  }

  /** Resolves one decision with choices that `checked` returned. */
  commit(choices) {
    this.battle.sides.forEach((side, n) => {
      if (choices[n] && !side.choose(choices[n])) {
        throw new Error(`Showdown refused ${choices[n]}, which is listed as legal: ${side.choice.error}`);
      }
    });
    this.battle.commitChoices();
  }

  #inPlace(side, choice) {
    const member = /^switch #([1-6])$/.exec(choice)?.[1];
    if (!member) return choice;
    const wanted = side.n * 6 + Number(member) - 1;
    const position = side.pokemon.findIndex(pokemon => this.numbers.get(pokemon) === wanted);
    return `switch ${position + 1}`;
  }

  /** Ids of the moves that each side's request lists, in their order: "move 1" is the first of them. */
  moves() {
    return this.battle.sides.map(side => side.activeRequest?.active?.[0].moves.map(({id}) => id) ?? []);
  }

  /** What Showdown says to a side's choice in its own words, null where it takes it.  A copy is asked. */
  refusal(n, choice) {
    const side = Battle.fromJSON(JSON.stringify(this.battle.toJSON())).sides[n];
    return side.choose(this.#inPlace(this.battle.sides[n], choice)) ? null : side.choice.error;
  }

  /** What is to be known at this decision point; `include` lists PARTS, "hash" for the digests of DETAILS. */
  view(include = DETAILS) {
    const unknown = include.find(name => !PARTS.includes(name));
    if (unknown !== undefined) throw new RequestError(`include: ${unknown}, expected some of ${PARTS.join(', ')}`);
    const parts = {core: () => core(this), aux: () => aux(this, this.auxKeys), legal: () => this.legal()};
    const out = {decision: this.decisions, ...summary(this)};
    out.kinds = this.battle.sides.map(side => (this.ended ? 'none' : requestKind(side)));
    for (const name of DETAILS) {
      if (include.includes(name)) out[name] = parts[name]();
      if (include.includes('hash')) out[`${name}_hash`] = digest(parts[name]());
    }
    if (include.includes('moves')) out.moves = this.moves();
    if (include.includes('json')) out.json = {...this.battle.toJSON(), log: [...this.battle.log]}; // which grows
    if (this.counter.log) out.draw_log = this.counter.log.splice(0);
    if (this.messages) out.messages = this.#news();
    return out;
  }

  /** Lines since the last view as each player gets them and as the log has them, and both players' requests now. */
  #news() {
    const lines = this.battle.log.slice(this.told);
    this.told = this.battle.log.length;
    const told = channels(lines, [1, 2, -1]);
    const requests = this.battle.sides.map(side => side.activeRequest ?? null);
    return {p1: told[1], p2: told[2], omniscient: told[-1], requests};
  }

  /** The lines of the whole log as spectators get them. */
  spectators() {
    return channels(this.battle.log, [0])[0];
  }
}
