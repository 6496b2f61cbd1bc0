// The installed package, loaded as it is.  Every program here is started with its directory as first argument.
import {createRequire} from 'node:module';
import {readFileSync, realpathSync} from 'node:fs';
import path from 'node:path';

export const directory = realpathSync(process.argv[2] ?? '.'); // as stack traces name it
const require = createRequire(path.join(directory, 'package.json'));

export const {name, version} = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'));
export const {Battle, BattleStream, Teams, Dex, PRNG, toID} = require(directory);
export const {extractChannelMessages} = require(path.join(directory, 'dist', 'sim', 'battle.js'));
export const load = file => require(path.join(directory, 'dist', file));
