// What the grammar of TypeScript cannot read unless it is put in other words.
import type { Clock } from "./clock";

/** A source of values, out only. */
export interface Source<out T> {
  readonly name: string
  next(): Promise<T>
}

/** A sink of values, in only. */
export interface Sink<in T, K extends string = string> {
  put(value: T, key: K): void
  close(): void
}

// Both at once, over several lines.
export interface Channel<
  in out T,
> extends Source<T>, Sink<T> {
  capacity: number
  <U>(map: (value: T) => U): Channel<U>
  (value: T): void
}

type Factory<out T> = {
  label: string

  // Called without new.
  (clock: Clock): T
  new (clock: Clock): T
}

export class Pipe<in out T> implements Channel<T> {
  capacity = 16

  constructor(private readonly clock: Clock) {}

  next(): Promise<T> {
    return this.clock.wait(this.capacity)
  }
}

export function pipe<T>(make: Factory<Pipe<T>>, clock: Clock): Pipe<T> {
  return make(clock)
}
