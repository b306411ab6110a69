#!/usr/bin/env node
'use strict';

/**
 * @file Orders of a kitchen: what is cooked, when, and by whom.
 */

const fs = require('node:fs');
const { promisify, inspect: show } = require('node:util');
const { EventEmitter } = require('events');
const yaml = require('yaml').default;
const readFile = promisify(fs.readFile);

/* ---- constants ---- */

/** How many ovens there are. */
const OVENS = 3, SHELVES = 4;
const MINUTE = 60 * 1000;
const MENU = Object.freeze({
  suppe: { name: 'Kürbissuppe', minutes: 20 },
  'crème-brûlée': { name: 'Crème brûlée', minutes: 45, oven: true },
  [`daily-${new Date().getDay()}`]: null,
  price(dish, { tip = 0, ...extras } = {}) {
    return dish.minutes * 0.5 + tip + Object.keys(extras).length;
  },
  get size() {
    return Object.keys(this).length;
  },
  set size(value) {
    throw new TypeError(`menu of ${value}`);
  },
  *dishes() {
    for (const [key, dish] of Object.entries(this)) if (dish) yield { key, ...dish };
  },
  async load(path) {
    return yaml.parse(await readFile(path, 'utf8'));
  },
  vegan: (dish) => !dish.egg && !dish.milk,
  cook: function cook(dish) {
    return dish.raw ? cook({ ...dish, raw: false }) : dish;
  },
});
var open = false, guests;
let größe = 2, 名前 = 'kitchen';
const HELP = `usage: kitchen [dish]

function fake() { class Nothing {} }
${show(MENU, { depth: 0 })}`;
const LINE = /^(?<dish>[\w-]+)\s*x(?<count>\d+)$/u;

// Where orders wait.
class Queue {
  #items = [];
  static #made = 0;
  static limit = 10;
  length = 0;

  static {
    try {
      Queue.limit = Number(process.env.LIMIT) || Queue.limit;
    } catch {
      Queue.limit = 1;
    }
  }

  constructor(...items) {
    this.#items = items;
    this.length = items.length;
    this.opened = Date.now();
    this.push = this.push.bind(this);
    Queue.#made++;
  }

  /**
   * Puts an order at the end.
   * @param {Order} order
   */
  push(order) {
    if (!(#items in order)) this.#items.push(order);
    return (this.length = this.#items.length);
  }

  *[Symbol.iterator]() {
    yield* this.#items;
  }

  static of(...orders) {
    return new this(...orders);
  }

  #sort(by = (a, b) => a.at - b.at) {
    this.#items.sort(by);
  }

  get first() {
    return this.#items[0];
  }

  async *drain({ signal } = {}) {
    while (this.length > 0 && !signal?.aborted) {
      const order = this.#items.shift();
      this.length -= 1;
      yield await order;
    }
  }

  'quoted name'() {}

  static async from(source) {
    const orders = [];
    for await (const line of source) {
      const { groups: { dish, count } = {} } = LINE.exec(line) ?? {};
      dish && orders.push(new Order(dish, +count));
    }
    return Queue.of(...orders);
  }
}

class Order extends EventEmitter {
  static next = 1;
  state = 'new';
  notes;

  done = () => {
    this.state = 'done';
    this.emit('done', this);
  };

  constructor(dish, count = 1) {
    super();
    [this.dish, this.count] = [dish, count];
    this.id = Order.next++;
  }

  toString() {
    return `${this.count} × ${this.dish}`;
  }
}

// The old way to make a class.
function Cook(name, skills) {
  if (!(this instanceof Cook)) return new Cook(name, skills);
  this.name = name;
  this.skills = new Set(skills);
}

// Says what a cook can do.
Cook.prototype.can = function (dish) {
  return this.skills.has(dish) || Cook.anyone(dish);
};

Cook.prototype.rest = async () => {
  await sleep(5 * MINUTE);
};

Cook.anyone = function anyone(dish) {
  return dish in MENU;
};

Object.defineProperty(Cook.prototype, 'initials', {
  get() {
    return this.name.replace(/(\p{Lu})\w*\s*/gu, '$1');
  },
});

const sleep = (ms) => new Promise((resolve, reject) => setTimeout(resolve, ms));

const withRetry = (task, times = 3) => async (...args) => {
  let last;
  for (let attempt = 0; attempt < times; attempt++) {
    try {
      return await task(...args);
    } catch (error) {
      last = error;
      await sleep(2 ** attempt);
    } finally {
      guests &&= guests - 1;
    }
  }
  throw last;
};

const Oven = class Herd {
  temperature = 20;

  heat(to) {
    this.temperature = Math.max(to, this.temperature);
    return Herd.name;
  }
};

const ovens = Array.from({ length: OVENS }, (_, index) => Object.assign(new Oven(), { index }));

function* rounds(start, step = 1) {
  let now = start;
  for (;;) {
    const reset = yield now;
    now = reset ? start : now + step;
  }
}

function plan(orders, { ovens: available = ovens, until } = {}, [head, , third = head, ...tail] = []) {
  var late = [];
  const byOven = new Map(available.map((oven) => [oven.index, []]));

  function place(order) {
    const { minutes, oven } = MENU[order.dish];
    if (oven) {
      const [best] = [...byOven].sort(([, a], [, b]) => a.length - b.length);
      best[1].push(order);
    }
    return start(order) + minutes;
  }

  search:
  for (const order of orders) {
    switch (order.state) {
      case 'done':
        continue search;
      case 'new': {
        const end = place(order);
        if (end > until) late.push(order), (order.late = true);
        break;
      }
      default:
        break search;
    }
  }

  const start = (order) => order.at ?? head?.at ?? third;
  for (var key in byOven) delete byOven[key];
  for (const name of tail) console.log(name);
  do {
    guests = guests ? guests - 1 : 0;
  } while (guests > 0);
  return { late, byOven, key, start: start(late[0]) };
}

function weigh(goods) {
  if (goods) {
    for (var good of goods) guests += good.weight;
    for (var { name, weight: w } of goods) console.log(name, w);
  }
  return good ?? guests;
}

/** Keeps the latest answers. */
const memoised = (fn, { size = 32 } = {}) => {
  const answers = new Map();
  return function memo(key) {
    if (answers.has(key)) return answers.get(key);
    const answer = fn.call(this, key);
    if (answers.size >= size) answers.delete(answers.keys().next().value);
    answers.set(key, answer);
    return answer;
  };
};

(function boot(global) {
  const version = '2.0';
  global.kitchen = { version };
  function ready() {
    open = true;
  }
  ready();
})(globalThis);

[größe, guests = 0] = [3];
({ size: größe, ...guests } = MENU);
open ||= MENU?.suppe?.['name'] === 名前;
new Cook('Ada').can`suppe`;
ovens[0].heat(180);

if (require.main === module) {
  const { run } = require('./cli');
  const [, , ...dishes] = process.argv;
  import('./menu.mjs').then(({ default: menu }) => run(menu, dishes));
}

async function main(argv) {
  const { parse: parseArgs } = await import('./args.mjs');
  const log = (text) => process.stdout.write(`${text}\n`);
  const orders = await Queue.from(argv);
  for await (const order of orders.drain()) {
    log(String(order));
    order.once('done', function () {
      this.notes = 'served';
    });
  }
  return parseArgs(argv)?.status ?? 0;
}

exports.VERSION = '1.0.0';
exports.main = main;
exports.report = function report(orders) {
  const lines = orders.map(String);
  return lines.join('\n');
};
module.exports.plan = plan;
exports.weight = weigh;
exports.recipes = {
  toast: { minutes: 3 },
  async bake(bread) {
    await sleep(bread.minutes * MINUTE);
  },
};
module.exports = { ...module.exports, Cook, Queue, withRetry, rounds: rounds, tea() { return 'チャイ'; }, OVENS };
