// Battles from nothing but an input log, by Showdown's own reader of them.
import {BattleStream} from './package.mjs';
import {RequestError} from './serve.mjs';
import {Play} from './play.mjs';

// Others change a battle by hand; `>eval` runs any program.
const COMMANDS = ['version', 'version-origin', 'start', 'player', 'p1', 'p2', 'chat', 'chat-inputlogonly', 'forcewin', 'forcetie'];

/**
 * Plays a log and hands over the battle at each decision as `visit(play)`, its end among them.
 *
 * @param {string} text lines such as `>start {…}`, `>player p1 {…}` and `>p1 move 2`
 * @throws {RequestError} a line that Showdown refuses, or that only Showdown's own staff may write; or no battle begins
 */
export function playLog(text, options, visit) {
  const stream = new BattleStream();
  let play = null, seen = -1;
  text.split(/\r?\n/).forEach((line, index) => {
    if (!line) return;
    const [, command, message] = /^>([\w-]+) ?(.*)$/.exec(line) ?? [];
    const where = `input log, line ${index + 1}: ${JSON.stringify(line.slice(0, 100))}`;
    if (!COMMANDS.includes(command)) throw new RequestError(`${where}, expected > and one of ${COMMANDS.join(', ')}`);
    try {
      stream._writeLine(command, message);
    } catch (error) {
      throw new RequestError(`${where}: ${error.message}`, 'illegal_action');
    }
    if (command === 'start') {
      stream.battle.strictChoices = true; // a refused choice throws
      play = new Play({battle: stream.battle}, options);
    }
    if (play?.battle.started && play.decisions !== seen) {
      seen = play.decisions;
      visit(play);
    }
  });
  if (seen < 0) throw new RequestError('input log: no battle begins, expected >start and two >player');
  return play;
}
