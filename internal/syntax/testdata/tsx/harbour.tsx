"use client";

// The board of departures of a harbour.

import React, {
  createContext,
  forwardRef,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useReducer,
  useState as useLocal,
  type ComponentProps,
  type ReactNode,
} from "react";
import { Link } from "@harbour/router";
import * as Icons from "./icons";
import type { Departure, Ship } from "../model/departure";
import styles from "./harbour.module.css";

export { Clock } from "./clock";

const PAGE = 20;
export const LANGUAGES = ["de", "en", "日本語"] as const;
type Language = (typeof LANGUAGES)[number];

/** What every part of the board knows. */
interface BoardState {
  departures: readonly Departure[];
  page: number;
  filter?: string;
  language: Language;
}

type Action =
  | { type: "loaded"; departures: Departure[] }
  | { type: "filter"; text: string }
  | { type: "page"; by: 1 | -1 };

const initial: BoardState = { departures: [], page: 0, language: "en" };

const BoardContext = createContext<[BoardState, React.Dispatch<Action>] | null>(null);
BoardContext.displayName = "Board";

// Changes the state of the board.
function reduce(state: BoardState, action: Action): BoardState {
  switch (action.type) {
    case "loaded":
      return { ...state, departures: action.departures, page: 0 };
    case "filter": {
      const filter = action.text.trim();
      return { ...state, filter };
    }
    case "page":
      return { ...state, page: Math.max(0, state.page + action.by) };
  }
}

/**
 * Gives the state of the board.
 *
 * @throws outside of a board
 */
export function useBoard() {
  const board = useContext(BoardContext);
  if (!board) throw new Error("no <Board> around");
  return board;
}

function useDepartures(url: string, { pause = 30_000 }: { pause?: number } = {}) {
  const [departures, setDepartures] = useLocal<Departure[]>([]);
  const [error, setError] = useLocal<Error>();

  useEffect(() => {
    const controller = new AbortController();
    async function load() {
      try {
        const answer = await fetch(url, { signal: controller.signal });
        const { items: loaded = [] } = (await answer.json()) as { items?: Departure[] };
        setDepartures(loaded);
      } catch (reason) {
        if (reason instanceof Error) setError(reason);
      }
    }
    void load();
    const timer = setInterval(load, pause);
    return () => {
      controller.abort();
      clearInterval(timer);
    };
  }, [url, pause]);

  return { departures, error };
}

interface BoardProps {
  url: string;
  title?: ReactNode;
  children?: ReactNode | ((state: BoardState) => ReactNode);
  onSelect?(departure: Departure): void;
}

export default function Board({ url, title = "Abfahrten", children, onSelect }: BoardProps) {
  const [state, dispatch] = useReducer(reduce, initial);
  const { departures, error } = useDepartures(url);

  useEffect(() => dispatch({ type: "loaded", departures }), [departures]);

  const shown = useMemo(
    () => state.departures.filter((d) => !state.filter || d.ship.name.includes(state.filter)),
    [state.departures, state.filter],
  );

  const select = useCallback((departure: Departure) => onSelect?.(departure), [onSelect]);

  if (error) {
    return <Failure error={error} retry={() => location.reload()} />;
  }

  return (
    <BoardContext.Provider value={[state, dispatch]}>
      <section className={styles.board} aria-label="departures" data-page={state.page}>
        <h2>{title}</h2>
        {/* The list is long: only a page is shown. */}
        <SearchBox placeholder="Ship …" autoFocus onChange={(text) => dispatch({ type: "filter", text })} />
        <List<Departure> items={shown.slice(state.page * PAGE, (state.page + 1) * PAGE)} keyOf={(d) => d.id}>
          {(departure, index) => (
            <DepartureRow key={departure.id} {...departure} odd={index % 2 === 1} onClick={() => select(departure)} />
          )}
        </List>
        {typeof children === "function" ? children(state) : children}
        <Pager />
      </section>
    </BoardContext.Provider>
  );
}

interface ListProps<T> {
  items: readonly T[];
  keyOf: (item: T) => string;
  children: (item: T, index: number) => ReactNode;
}

export function List<T extends object>({ items, keyOf, children: render }: ListProps<T>) {
  if (items.length === 0) return <p className={styles.empty}>nothing&nbsp;leaves</p>;
  return (
    <ul>
      {items.map((item, index) => (
        <li key={keyOf(item)}>{render(item, index)}</li>
      ))}
    </ul>
  );
}

const identity = <T,>(value: T): T => value;

type SearchBoxProps = Omit<ComponentProps<"input">, "onChange"> & { onChange: (text: string) => void };

export const SearchBox = forwardRef<HTMLInputElement, SearchBoxProps>(function SearchBox({ onChange, ...rest }, ref) {
  return <input type="search" {...rest} ref={ref} onChange={(event) => onChange(event.target.value)} />;
});

// One line of the board.
const DepartureRow: React.FC<Departure & { odd: boolean; onClick: () => void }> = ({ ship, at, odd, onClick }) => {
  const style = { "--delay": `${at.delay}min`, opacity: odd ? 0.9 : 1 } as React.CSSProperties;
  return (
    <div role="row" style={style} onClick={onClick}>
      <Icons.Ship size={16} />
      <Link to={`/ships/${ship.id}`} xlink:href="#ship">
        {ship.name}
      </Link>
      <Time value={at.planned} format="HH:mm" />
      {at.delay > 0 && <em>+{at.delay}</em>}
      <ShipFlag {...{ ship }} />
    </div>
  );
};

const ShipFlag = React.memo(({ ship }: { ship: Ship }) => (
  <>
    <img src={`/flags/${ship.flag}.svg`} alt={ship.flag ?? ""} />
  </>
));

function Time({ value, format }: { value: Date; format: string }) {
  const [{ language }] = useBoard();
  const text = formatTime(value, format, language);
  return <time dateTime={value.toISOString()}>{text}</time>;
}

export function formatTime(value: Date, format: string, language: Language): string {
  return format.replace(/HH|mm/g, (part) =>
    String(part === "HH" ? value.getHours() : value.getMinutes()).padStart(2, "0"),
  ) + (language === "日本語" ? "発" : "");
}

function Pager() {
  const [{ page }, dispatch] = useBoard();
  const turn = (by: 1 | -1) => () => dispatch({ type: "page", by });
  return (
    <nav>
      <button disabled={page === 0} onClick={turn(-1)}>
        ‹
      </button>
      <span>{page + 1}</span>
      <button onClick={turn(1)}>›</button>
    </nav>
  );
}

interface FailureState {
  open: boolean;
}

interface FailureProps {
  error: Error;
  retry(): void;
}

/** Says what went wrong, and offers to try again. */
export class Failure extends React.Component<FailureProps, FailureState> {
  static defaultProps: Partial<FailureProps> = { retry: () => undefined };
  state: FailureState = { open: false };
  private timer?: ReturnType<typeof setTimeout>;
  #times = 0;

  static getDerivedStateFromProps(props: FailureProps, state: FailureState): FailureState | null {
    return props.error.message ? { open: state.open } : null;
  }

  componentDidMount() {
    this.timer = setTimeout(this.toggle, 1_000);
  }

  componentWillUnmount(): void {
    clearTimeout(this.timer);
  }

  toggle = () => {
    this.#times++;
    this.setState(({ open }) => ({ open: !open }));
  };

  protected override get label(): string {
    return `tried ${this.#times} times`;
  }

  render() {
    const { error, retry } = this.props;
    return (
      <div className={styles.failure} onMouseEnter={this.toggle}>
        <strong>{identity(error.message)}</strong>
        {this.state.open ? <pre>{error.stack}</pre> : null}
        <button onClick={retry} title={this.label}>
          Again
        </button>
      </div>
    );
  }
}

export function withBoard<P extends object>(Wrapped: React.ComponentType<P & { state: BoardState }>) {
  const Connected = (props: P) => {
    const [state] = useBoard();
    return <Wrapped {...props} state={state} />;
  };
  Connected.displayName = `withBoard(${Wrapped.displayName ?? Wrapped.name})`;
  return Connected;
}

export const Summary = withBoard(({ state }) => <p>{state.departures.length} ships</p>);

export namespace Harbour {
  export const Mole = () => <hr />;
  export enum Side {
    Port,
    Starboard = "⚓",
  }
}

declare module "react" {
  interface CSSProperties {
    "--delay"?: string;
  }
}

async function start(root: HTMLElement) {
  const { createRoot } = await import("react-dom/client");
  createRoot(root).render(
    <React.StrictMode>
      <Board url="/api/departures" onSelect={(departure) => console.log(departure)}>
        {(state) => <Harbour.Mole key={state.page} />}
      </Board>
    </React.StrictMode>,
  );
}

if (typeof document !== "undefined") {
  start(document.getElementById("root")!);
}
