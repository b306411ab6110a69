import type { Entity, Id } from './entity';
import { Injectable, type Provider } from "@framework/core";
import fs = require("fs");
export type { Entity } from './entity';

/** What can be kept. */
export interface Storable<K extends string = string> extends Entity, Base.Named<K> {
  readonly id: Id;
  name?: string; // shown to people
  /** Saves it. */
  save(force: boolean): Promise<void>;
  [key: string]: unknown;
  new (id: Id): Storable;
  (call: number): string;
  onChange: (value: K) => void;
}

type Mapper<T, R> = (input: T, index: number) => R;
export type Partial2<T> = { [P in keyof T]?: T[P] };
type Unwrap<T> = T extends Promise<infer U> ? U : typeof fallback;
type Options = {
  retries: number;
  nested: { deep: boolean };
};

const fallback: Options = { retries: 3, nested: { deep: true } };

export enum Level {
  Low,
  High = 10, // very
  Other = compute(Low),
}

declare const enum Flag { A, B }

@Injectable({ scope: 'app' })
export abstract class Repository<T extends Storable> implements Provider, Iterable<T> {
  private static instance?: Repository<any>;
  protected readonly items: Map<Id, T> = new Map<Id, T>();
  public static readonly LIMIT: number = 10;
  @Column() title!: string;

  constructor(private readonly store: Store<T>, readonly level: Level = Level.Low, name?: string) {
    store.open(name);
    this.items.clear();
  }

  abstract load(id: Id): Promise<T | undefined>;

  find<K extends keyof T>(key: K, value: T[K]): T[] {
    const found: T[] = [];
    for (const item of this.items.values()) {
      if (item[key] === value) found.push(item as T);
    }
    return found;
  }

  private get size(): number { return this.items.size; }

  handle = async (event: Event): Promise<void> => {
    await this.store.put(event!.target, <unknown>event);
  };

  static create<U extends Storable>(this: new () => Repository<U>): Repository<U> {
    return new this();
  }
}

/** Overloaded. */
export function parse(text: string): number;
export function parse(text: string, radix: number): number;
export function parse(text: string, radix = 10): number {
  return Number.parseInt(text, radix);
}

export const map = <T, R>(items: readonly T[], fn: Mapper<T, R>): R[] => items.map((item, index) => fn(item, index));

function isStorable(value: unknown): value is Storable {
  return (value as Storable).id !== undefined;
}

export namespace Geometry.Plane {
  export interface Point { x: number; y: number }
  export const origin: Point = { x: 0, y: 0 };
  const hidden = 1;
  export function distance(a: Point, b: Point = origin): number {
    const { x, y } = a;
    return Math.hypot(x - b.x, y - b.y);
  }
}

declare module "vendor" {
  export function vendored(arg: string): void;
  let version: string;
}

declare global {
  interface Window { app: Repository<any> }
}

abstract class Plain {}
let counter = 0;
counter = counter + 1;
const assertion = fallback satisfies Options;
export default Repository;
