'use strict';
// Shows one beat of the battle after the other.  Everything shown is set as text: nothing of the log becomes markup.
const battle = JSON.parse(document.getElementById('battle').textContent);
const beats = battle.beats.map(beat => ({...beat, board: battle.boards[beat.board]}));
const LAST = beats.length - 1;
const COLOURS = ['one', 'two'];
const TYPES = {
  Normal: '#8a8a78', Fire: '#e0702e', Water: '#4a80d8', Electric: '#c79a06', Grass: '#4f9a3d', Ice: '#4fa9ab',
  Fighting: '#b8352c', Poison: '#8f4193', Ground: '#b08b3e', Flying: '#8272cf', Psychic: '#e04f7b', Bug: '#86951a',
  Rock: '#94843a', Ghost: '#62507f', Dragon: '#5f3be0', Dark: '#5b4a3e', Steel: '#7f7f9e', Fairy: '#c8698f',
  Stellar: '#3f7f8f',
};
const STATUSES = {
  brn: ['BRN', '#d8642c'], par: ['PAR', '#b88f00'], slp: ['SLP', '#75777d'], frz: ['FRZ', '#3f9fb8'],
  psn: ['PSN', '#8f41a3'], tox: ['TOX', '#6d2f8a'],
};
const find = id => document.getElementById(id);
const opened = new Set(); // Pokémon of the benches whose details are open
let at = 0, timer = null;

function make(tag, name = '', ...children) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...children);
  return element;
}

function badge(text, colour, more = '') {
  const element = make('span', `badge ${more}`, text);
  element.style.background = colour;
  return element;
}

const typeBadge = (type, more, text = type) => badge(text, TYPES[type] ?? '#777', more);
const statusBadge = status => badge(...STATUSES[status]);
const percent = hp => (hp > 0 && hp < 1 ? '<1 %' : `${Math.round(hp)} %`);
const teamOf = side => side.team.map(place => battle.pokemon[place]);

// --- one side -------------------------------------------------------------------------------------------------------

/** The lasting parts of a side's panel, so that bars move from value to value. */
function panel(n) {
  const parts = {
    note: make('small'), active: make('div', 'active'), who: make('div', 'who'), fill: make('i'), number: make('span', 'number'),
    chips: make('div', 'chips'), rest: make('div'), bench: make('div', 'bench'), ground: make('div', 'ground'),
  };
  parts.active.append(
    parts.who, make('div', 'hp', make('div', 'bar', parts.fill), parts.number), parts.chips, parts.rest);
  parts.root = make('section', `side ${COLOURS[n]}`,
    make('h2', '', make('span', `tag ${COLOURS[n]}`, battle.names[n]), parts.note),
    parts.active, parts.bench, parts.ground);
  return parts;
}

const panels = [0, 1].map(panel);
find('sides').append(...panels.map(parts => parts.root));

function bar(fill, hp) {
  fill.style.width = `${hp}%`;
  fill.className = hp > 50 ? '' : hp > 20 ? 'worn' : 'bad';
}

function showSide(n, side) {
  const parts = panels[n], team = teamOf(side), active = team[side.active];
  const left = team.filter(one => !one.fainted).length + side.hidden;
  parts.note.textContent = `${left} left${side.tera ? ' · may Terastallize' : ''}`;
  if (active) showActive(parts, side, active);
  parts.active.style.visibility = active ? '' : 'hidden';
  parts.bench.replaceChildren(...team.map((one, k) => bench(n, k, one)));
  if (side.hidden) parts.bench.append(make('div', 'unknown', `${side.hidden} not seen yet`));
  const ground = side.ground.map(({name, layers, turns}) =>
    make('span', 'chip', `${name}${layers > 1 ? ` ×${layers}` : ''}${turns ? ` · ${turns} turn${turns > 1 ? 's' : ''}` : ''}`));
  parts.ground.replaceChildren(ground.length ? make('div', 'chips', ...ground) : 'Nothing on this side');
}

function showActive(parts, side, one) {
  const types = one.types.map(type => typeBadge(type, one.terastallized ? 'tera' : ''));
  if (one.tera && !one.terastallized) types.push(typeBadge(one.tera, 'later', `Tera ${one.tera}`));
  if (one.terastallized) types.push(make('span', 'level', 'Terastallized'));
  parts.who.replaceChildren(make('span', 'name', one.name), make('span', 'level', `level ${one.level}`), ...types);
  parts.active.classList.toggle('fainted', one.fainted);
  const fresh = parts.shown !== one.name;
  parts.shown = one.name;
  if (fresh) parts.fill.style.transition = 'none';
  bar(parts.fill, one.hp);
  if (fresh) {
    parts.fill.getBoundingClientRect();
    parts.fill.style.transition = '';
  }
  parts.number.textContent = one.fainted ? 'fainted' : `${one.points ? `${one.points} · ` : ''}${percent(one.hp)}`;
  const boosts = side.boosts.map(([stat, stage]) =>
    make('span', `chip ${stage > 0 ? 'up' : 'down'}`, `${stat} ${stage > 0 ? '+' : '−'}${Math.abs(stage)}`));
  const status = one.status ? [statusBadge(one.status)] : [];
  parts.chips.replaceChildren(...status, ...boosts, ...side.conditions.map(title => make('span', 'chip', title)));
  parts.rest.replaceChildren(...details(one));
}

function details(one) {
  const unknown = text => make('span', 'unknown', text);
  const facts = make('dl', 'facts',
    make('dt', '', 'Ability'), make('dd', '', one.ability ?? unknown('not known')),
    make('dt', '', 'Item'), make('dd', '', one.item === null ? unknown('not known') : one.item || 'none'));
  const moves = one.moves.map(([name, left]) =>
    make('li', '', make('span', '', name), ...(left === null ? [] : [make('span', '', `${left} PP`)])));
  return [facts, moves.length ? make('ul', 'moves', ...moves) : unknown('no move seen yet')];
}

function bench(n, k, one) {
  const fill = make('i'), key = `${n}.${k}`;
  bar(fill, one.hp);
  const name = make('span', 'name', one.name, ...(one.status ? [statusBadge(one.status)] : []));
  const summary = make('summary', '', name, make('div', 'bar', fill),
    make('span', 'number', one.fainted ? 'fainted' : percent(one.hp)));
  const types = make('div', 'chips', ...one.types.map(type => typeBadge(type, '')));
  if (one.tera && !one.terastallized) types.append(typeBadge(one.tera, 'later', `Tera ${one.tera}`));
  const element = make('details', `${one.fainted ? 'fainted' : ''} ${one.active ? 'out' : ''}`, summary,
    make('div', 'inside', types, ...details(one)));
  element.open = opened.has(key);
  element.addEventListener('toggle', () => (element.open ? opened.add(key) : opened.delete(key)));
  return element;
}

// --- what happens ---------------------------------------------------------------------------------------------------

const line = ([kind, text, side]) =>
  make('span', `line ${kind} ${side === null ? '' : COLOURS[side]}`, kind === 'choice' ? `${battle.names[side]} ${text}` : text);

const turnOf = number => beats[number].turn;
const turnName = turn => (turn ? `Turn ${turn}` : 'Before the first turn');
const turnStarts = beats.map((_, number) => number).filter(number => !number || turnOf(number) !== turnOf(number - 1));

const told = beats.map((beat, number) => {
  const element = make('button', 'beat', ...beat.lines.map(line));
  element.type = 'button';
  element.addEventListener('click', () => go(number));
  return element;
});
beats.forEach((beat, number) => {
  if (turnStarts.includes(number)) find('story').append(make('h3', '', turnName(beat.turn)));
  find('story').append(told[number]);
});

// --- the chance of winning ------------------------------------------------------------------------------------------

const judged = beats.map((beat, number) => [number, beat.chance]).filter(([, chance]) => chance !== undefined);
const SVG = 'http://www.w3.org/2000/svg';
const across = number => (LAST ? 1000 * number / LAST : 0);

function drawn(name, values) {
  const element = document.createElementNS(SVG, name);
  Object.entries(values).forEach(([key, value]) => element.setAttribute(key, value));
  return element;
}

const cursor = drawn('line', {class: 'cursor', y1: 0, y2: 100});
if (judged.length) {
  const points = judged.map(([number, chance]) => `${across(number).toFixed(1)},${(100 - chance).toFixed(1)}`);
  const [first, final] = [judged[0][0], judged[judged.length - 1][0]].map(number => across(number).toFixed(1));
  const svg = find('chance').querySelector('svg');
  svg.append(
    drawn('polygon', {class: 'area', points: `${first},100 ${points.join(' ')} ${final},100`}),
    drawn('line', {class: 'even', x1: 0, x2: 1000, y1: 50, y2: 50}),
    drawn('polyline', {class: 'curve', points: points.join(' ')}), cursor);
  svg.addEventListener('click', event => {
    const box = svg.getBoundingClientRect();
    go(Math.round(LAST * (event.clientX - box.left) / box.width));
  });
  find('chance').hidden = false;
}

function showChance() {
  const before = judged.filter(([number]) => number <= at);
  const shown = (before.length ? before[before.length - 1] : judged[0])[1];
  cursor.setAttribute('x1', across(at));
  cursor.setAttribute('x2', across(at));
  const caption = find('chance').querySelector('figcaption');
  caption.replaceChildren(`${battle.names[battle.viewer ?? 0]} wins: `, make('b', '', `${shown.toFixed(0)} %`));
}

// --- going through it -----------------------------------------------------------------------------------------------

function show() {
  const {board, lines, turn} = beats[at];
  find('turn').textContent = turnName(turn);
  find('weather').replaceChildren(...board.field.map(([name, turns]) =>
    make('span', 'chip', turns ? `${name} · ${turns} turn${turns > 1 ? 's' : ''} left` : name)));
  board.sides.forEach((place, n) => showSide(n, battle.sides[place]));
  find('now').replaceChildren(...lines.map(one => make('li', '', line(one))));
  told.forEach((element, number) => {
    element.classList.toggle('here', number === at);
    element.classList.toggle('ahead', number > at);
  });
  const story = find('story'), here = told[at];
  story.scrollTop = here.offsetTop - story.offsetTop - story.clientHeight / 2;
  find('place').value = at;
  find('place').setAttribute('aria-valuetext', `${turnName(turn)}, ${at + 1} of ${beats.length}`);
  if (judged.length) showChance();
}

function go(number) {
  at = Math.max(0, Math.min(LAST, number));
  history.replaceState(null, '', `#${at}`);
  show();
}

function play(on) {
  clearInterval(timer);
  timer = on ? setInterval(() => (at < LAST ? go(at + 1) : play(false)), Number(find('speed').value)) : null;
  find('play').textContent = on ? '❚❚' : '▶';
  find('play').setAttribute('aria-label', on ? 'Pause' : 'Play');
}

const ways = {
  back: () => go(at - 1),
  on: () => go(at + 1),
  'turn-back': () => go([...turnStarts].reverse().find(number => number < at) ?? 0),
  'turn-on': () => go(turnStarts.find(number => number > at) ?? LAST),
  play: () => {
    if (!timer && at === LAST) go(0);
    play(!timer);
  },
};
const KEYS = {ArrowLeft: 'back', ArrowRight: 'on', ArrowUp: 'turn-back', ArrowDown: 'turn-on', ' ': 'play'};
document.addEventListener('keydown', event => {
  const inside = event.target.closest?.('input, select, summary, button');
  if (!KEYS[event.key] || event.altKey || event.ctrlKey || event.metaKey || (inside && event.key === ' ')) return;
  if (event.target.tagName === 'SELECT') return;
  event.preventDefault();
  ways[KEYS[event.key]]();
});
document.querySelectorAll('[data-go]').forEach(button =>
  button.addEventListener('click', () => ways[button.dataset.go]()));
find('place').max = LAST;
find('place').addEventListener('input', event => go(Number(event.target.value)));
find('speed').addEventListener('change', () => timer && play(true));
window.addEventListener('hashchange', () => go(Number(location.hash.slice(1)) || 0));

const names = battle.names.map((name, n) => make('span', COLOURS[n], name));
find('title').append(names[0], make('small', '', 'against'), names[1]);
find('seen-by').textContent = battle.viewer === null ? 'Gen 9 random battle, both sides open'
  : `Gen 9 random battle, as ${battle.names[battle.viewer]} sees it`;
go(Number(location.hash.slice(1)) || 0);
