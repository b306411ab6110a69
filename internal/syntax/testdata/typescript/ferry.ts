#!/usr/bin/env -S node --import tsx
/**
 * Booking of places on ferries.
 * @packageDocumentation
 */

import { EventEmitter } from "node:events";
import assert, { strict as verify } from "node:assert";
import * as path from "node:path";
import type { Port, Tide as Tides } from "./ports";
import { type Fare, calculate } from "./fares.js";
import config from "./config.json" with { type: "json" };
import "reflect-metadata";
import legacy = require("legacy-tickets");
import Zone = legacy.geo.Zone;

export * from "./ports";
export * as fares from "./fares.js";
export { calculate as price, type Fare } from "./fares.js";
export type { Tides };

/// <reference types="node" />

/** How many may travel at once. */
export const CAPACITY = 1_200 as const;
export let season: "summer" | "winter" = "summer";
const { host = "localhost", ports: [first, ...others], "time-out": timeout } = config;
const größe: Record<string, number> = { "Fähre": 3, [`deck-${first}`]: 2 };
var tickets = 0, refunds: number | undefined;

const unseen: unique symbol = Symbol("unseen");
const TEMPLATE = `class Fake { method() { ${first} } } import x from "y";`;
const PATTERN = /function\s+(?<name>\w+)\(/gu;

// What a booking goes through.
export enum Status {
  Open = "open",
  Paid = "paid",
  /** Nobody came. */
  Missed = "missed",
}

const enum Bits {
  None,
  Car = 1 << 0,
  Bicycle = 1 << 1,
  All = Car | Bicycle,
}

/** A type of its own for the same values. */
export type Brand<T, Name extends string> = T & { readonly __brand: Name };
export type BookingId = Brand<string, "BookingId">;
type Keys<T> = { -readonly [K in keyof T as `on${Capitalize<K & string>}`]?: (value: T[K]) => void };
type Awaited2<T> = T extends PromiseLike<infer Inner extends object> ? Awaited2<Inner> : T;
type Shape =
  | { kind: "car"; length: number }
  | { kind: "walker"; pets?: Pet[] };
type Handler = typeof handle;
type Route = readonly [from: Port, to: Port, ...via: Port[]];
type Ctor<T = {}> = abstract new (...args: any[]) => T;
type Member = Booking["passengers"][number];

interface Pet {
  name: string;
}

class Gangway {
  private open?: boolean;
  angle = 0;

  constructor(public readonly ship: Vessel, @Inject() readonly pier = 1, private width?: number) {
    this.open = false;
    this.width = this.angle = 2;
    this.lift = this.lift.bind(this);
    this.#steps = 3;
  }

  #steps: number;

  lift() {
    this.open = true;
    this.raised = true;
  }
}

/**
 * Somebody who travels.
 */
export interface Passenger<Extra extends object = {}> extends Pet, legacy.Person {
  readonly age: number;
  extra?: Extra;
  greet?(this: Passenger, other: Passenger): string;
  get seat(): string | null;
  set seat(value: string | null);
  <T>(question: T): T;
  new (name: string): Passenger<Extra>;
  [key: `data-${string}`]: unknown;
  [Symbol.iterator](): Iterator<string>;
}

/** A booking that can be paid. */
@sealed
export class Booking<E extends object = {}> extends EventEmitter implements AsyncIterable<Passenger<E>> {
  static #count = 0;
  static readonly empty = new Booking("" as BookingId);
  declare readonly origin: Port;
  private static cache = new Map<BookingId, Booking<any>>();
  #status: Status = Status.Open;
  protected passengers: Passenger<E>[] = [];
  public note!: string;
  accessor deck = 1;
  [unseen]?: boolean;
  "quoted-name" = 1;
  readonly onPaid = (amount: number): void => {
    this.#status = Status.Paid;
    this.emit("paid", amount);
  };

  static {
    Booking.#count = Number(process.env.START ?? 0);
    const seeded = Booking.cache;
    seeded.clear();
  }

  constructor(
    readonly id: BookingId,
    private readonly fare?: Fare,
    public @Inject() protected2?: string,
    limit = CAPACITY,
  ) {
    super();
    this.created = new Date();
    Booking.#count += 1;
    assert(limit > 0);
  }

  created: Date;

  get status(): Status {
    return this.#status;
  }

  set status(next: Status) {
    const before = this.#status;
    this.#status = next;
    if (#status in this && before !== next) this.emit("status", { before, next });
  }

  /** Adds travellers. */
  add(one: Passenger<E>): this;
  add(many: readonly Passenger<E>[], options?: { quiet: boolean }): this;
  @logged("add")
  add(what: Passenger<E> | readonly Passenger<E>[], { quiet = false, ...rest }: { quiet?: boolean } = {}): this {
    const list = Array.isArray(what) ? what : [what];
    for (const { name, age: years = 18, ...details } of list) {
      if (years < 0) throw new RangeError(`${name} is ${years}: ${JSON.stringify(details)}`);
      this.passengers.push(...list);
    }
    quiet || this.emit("added", rest);
    return this;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Passenger<E>, void, undefined> {
    for await (const passenger of this.passengers) yield passenger;
    yield* this.passengers;
  }

  protected async pay<T extends Fare>(fare: T, signal?: AbortSignal): Promise<T["amount"]> {
    const amount = calculate(fare)!;
    try {
      await this.gateway?.charge?.(amount, { signal });
    } catch (error: unknown) {
      if (error instanceof PaymentError) return 0;
      throw error;
    } finally {
      tickets++;
    }
    return amount as T["amount"];
  }

  static from<T extends Booking>(this: Ctor<T>, raw: unknown): asserts raw is T {
    verify.ok(raw);
  }

  static override toString() {
    return `Booking(${Booking.#count})`;
  }
}

export abstract class Vessel {
  abstract readonly name: string;
  protected abstract load(cargo: Cargo.Container): Promise<void>;
  abstract get draught(): number;

  describe(): string {
    return `${this.name} (${this.draught} m)`;
  }
}

export class PaymentError extends Error {
  override name = "PaymentError";
}

const Mixed = <B extends Ctor>(Base: B) =>
  class Timed extends Base {
    stamp = Date.now();
    age() {
      return Date.now() - this.stamp;
    }
  };

export namespace Cargo {
  export interface Container {
    weight: number;
  }

  export namespace Limits {
    export const heaviest = 30;
    let used = 0;
    export function fits(container: Container): boolean {
      used += container.weight;
      return used <= heaviest;
    }
  }
}

declare module "express" {
  interface Request {
    booking?: Booking;
  }
}

declare global {
  var ferry: Vessel;
  interface Window {
    bookings: Map<BookingId, Booking>;
  }
}

declare function gettext(text: string): string;

export function isPassenger(value: unknown): value is Passenger {
  return typeof value === "object" && value !== null && "age" in value;
}

/**
 * Finds a way.
 *
 * @param from where to start
 */
export function route(from: Port): Route;
export function route(from: Port, to: Port): Route;
export function route(from: Port, to: Port = from.next, ...via: Port[]): Route {
  function shortest(a: Port, b: Port): number {
    const distance = (p: Port, q: Port) => Math.hypot(p.x - q.x, p.y - q.y);
    return distance(a, b);
  }
  const via2 = via.toSorted((a, b) => shortest(from, a) - shortest(from, b));
  return [from, to, ...via2];
}

function* tidesOf(port: Port, start = 0): Generator<Tides> {
  let hour = start;
  while (true) {
    hour += yield { port, hour } satisfies Tides;
    if (hour > 24) return;
  }
}

async function handle(shape: Shape, status = Status.Open) {
  switch (shape.kind) {
    case "car": {
      const { length } = shape;
      return length * Bits.Car;
    }
    case "walker":
      return shape.pets?.map(({ name }) => name).join() ?? "";
    default:
      const never: never = shape;
      return never;
  }
}

function sealed<T extends Ctor>(target: T, context: ClassDecoratorContext) {
  Object.freeze(target);
  context.addInitializer(function (this: any) {
    this.sealed = true;
  });
}

function logged(label: string) {
  return function <This, Args extends unknown[], R>(method: (this: This, ...args: Args) => R) {
    return function (this: This, ...args: Args): R {
      console.log(label, args);
      return method.call(this, ...args);
    };
  };
}

export const repository = {
  bookings: new Map<BookingId, Booking>(),
  find(id: BookingId) {
    return this.bookings.get(id);
  },
  async save(booking: Booking) {
    this.bookings.set(booking.id, booking);
  },
  get size() {
    return this.bookings.size;
  },
  remove: (id: BookingId) => repository.bookings.delete(id),
};

outer: for (let i = 0, n = others.length; i < n; i++) {
  for (const key in größe) {
    if (key === others[i]) continue outer;
    größe[key] += i;
  }
}

[season, refunds] = ["winter", 1];
({ season, tickets: refunds = 0 } = { season: "summer" as const, tickets: 2 });

Vessel.prototype.describe = function (): string {
  return gettext(path.join(this.name, host));
};

if (import.meta.main) {
  const id = <BookingId>"1";
  const booking = new Booking<{ vip: boolean }>(id);
  void import("./cli.js").then(({ run }) => run(booking, timeout));
}

export { Mixed, handle as handler, type Handler };
export default async function (zone: Zone) {
  return tidesOf(await zone.port);
}
