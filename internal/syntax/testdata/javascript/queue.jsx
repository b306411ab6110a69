#!/usr/bin/env node
'use strict';

const fs = require('fs');
const { join, resolve: resolvePath } = require('path');
import React, { useState as useLocal, useEffect } from 'react';
import * as api from './api.js';
import './style.css';
export { start, stop as halt } from './control';
export * from './types';

/** How many at once. */
export const LIMIT = 4;
let running = 0, waiting = [];
var legacy;
const { first, nested: [second, ...rest], third = LIMIT } = api.config;

/**
 * A queue of jobs.
 *
 * @template T
 */
export class Queue extends api.Emitter {
  static #count = 0;
  name = 'queue';
  onDone = (job) => { this.emit('done', job); };

  constructor(options = {}, ...handlers) {
    super(options);
    this.options = options;
    this.handlers = handlers;
    this.options = { ...options, limit: LIMIT };
    Queue.#count++;
  }

  // How many there are.
  get size() {
    return this.jobs.length;
  }

  static async *drain(queue) {
    for await (const job of queue) yield job.run();
  }

  ['computed']() {}

  #secret(value) {
    try {
      risky(value);
    } catch ({ message }) {
      console.error(message);
    } finally {
      running -= 1;
    }
  }
}

function start(queue, { limit, name: label = 'x' }, [head, ...tail]) {
  if (limit) {
    var hoisted = later(queue);
    let scoped = hoisted + head;
    scoped++;
  }
  function later(item) {
    return item && inner;
  }
  const inner = 1;
  for (var i = 0, n = tail.length; i < n; i++) {
    queue.push(tail[i]);
  }
  for (const key in queue) running += queue[key];
  outer: while (true) break outer;
  switch (label) {
    case LIMIT: {
      const limited = scoped(label);
      return limited;
    }
  }
  return hoisted;
}

function* numbers() { yield 1; }

const add = (a, b) => a + b;
const Named = function inside(x) { return x ? inside(x - 1) : 0; };
const Shape = class { area() { return 0; } };

Queue.prototype.reset = function () {
  this.jobs = [];
  running = 0;
};

waiting[0] = { running, add: 2, run() { return running; }, stop: () => running };
[running, waiting] = [0, []];
({ first: running } = api);

const handlers = {
  click(event) { event.preventDefault(); },
  'key-down': function (event) { return event.key; },
  move: (event) => handlers.click(event),
  limit: LIMIT,
};

export default function App({ items, onSelect }) {
  const [open, setOpen] = useLocal(false);
  useEffect(() => {
    setOpen(true);
  }, []);
  return (
    <Layout.Main title={handlers.limit} {...items}>
      <div className="x" onClick={() => onSelect(open)}>
        {items.map((item) => <Item key={item.id} item={item} />)}
      </div>
    </Layout.Main>
  );
}

async function load(url) {
  const module = await import('./lazy.js');
  const answer = await fetch(`${url}/${module.path}`);
  return new Queue(answer)?.size ?? LIMIT;
}

module.exports = { numbers, load: load };
exports.helper = function (value) { return value; };
exports.LIMIT = LIMIT;
export { add, Named as Renamed };
