// The week of a gardener.

import React, { lazy, Suspense, useEffect, useRef, useState } from 'react';
import PropTypes from 'prop-types';
import { connect } from 'react-redux';
import cx from 'classnames';
import * as days from './days.js';
import { Dialog, Button as Press } from './ui';
import weather from './weather.json' with { type: 'json' };
import './planner.css';

export * from './plants.js';
export * as tools from './tools.js';
export { default as Shed, open as openShed } from './Shed.jsx';

const Map = lazy(() => import('./Map.jsx'));
const Context = React.createContext({ season: 'spring' });

export const SEASONS = ['spring', 'summer', 'autumn', 'winter'];
const GRÜN = '#2e7d32';
let counter = 0;

/** What can be done in a garden. */
export const TASKS = {
  water: { label: 'Gießen', minutes: 10 },
  weed: { label: 'Jäten', minutes: 30, done: (task) => task.pulled > 10 },
  prune(tree) {
    return tree.height > 2;
  },
};

export function nextId(prefix = 'task') {
  counter += 1;
  return `${prefix}-${counter}`;
}

// Remembers a value in the browser.
function useStored(key, initial) {
  const [value, setValue] = useState(() => {
    const stored = localStorage.getItem(key);
    return stored === null ? initial : JSON.parse(stored);
  });

  useEffect(() => {
    localStorage.setItem(key, JSON.stringify(value));
  }, [key, value]);

  return [value, setValue];
}

function useWeather(place, { every = 60_000 } = {}) {
  const [state, setState] = useState({ loading: true });
  const timer = useRef(null);

  useEffect(() => {
    let stopped = false;
    const load = async () => {
      try {
        const answer = await fetch(`/weather?at=${encodeURIComponent(place)}`);
        const { days: list, ...rest } = await answer.json();
        if (!stopped) setState({ list, ...rest, loading: false });
      } catch (error) {
        setState((old) => ({ ...old, error, loading: false }));
      }
    };
    timer.current = setInterval(load, every);
    load();
    return function stop() {
      stopped = true;
      clearInterval(timer.current);
    };
  }, [place, every]);

  return state;
}

/**
 * One task of a day.
 */
const Task = ({ task, onDone, style: { color = GRÜN, ...style } = {}, ...props }) => {
  const label = TASKS[task.kind]?.label ?? task.kind;
  return (
    <li className={cx('task', { done: task.done })} style={{ color, ...style }} {...props}>
      <input type="checkbox" checked={task.done} onChange={({ target }) => onDone(task, target.checked)} />
      <span title="{not code}">{label}</span>
      {task.minutes > 20 && <em> ({task.minutes} min)</em>}
    </li>
  );
};

Task.propTypes = {
  task: PropTypes.shape({ kind: PropTypes.string.isRequired }).isRequired,
  onDone: PropTypes.func,
};

Task.defaultProps = { onDone() {} };

function Day({ name, tasks, onChange, children }) {
  const { season } = React.useContext(Context);
  const [open, setOpen] = useStored(`day-${name}`, false);
  const minutes = tasks.reduce((sum, { minutes: m = 0 }) => sum + m, 0);

  function finish(task, done) {
    onChange(tasks.map((other) => (other.id === task.id ? { ...other, done } : other)));
  }

  return (
    <section data-season={season} aria-expanded={open}>
      <h3 onClick={() => setOpen(!open)}>
        {days.label(name)} — {minutes} min
      </h3>
      {open ? (
        <ul>
          {tasks.map((task, index) => (
            <Task key={task.id ?? index} task={task} onDone={finish} />
          ))}
        </ul>
      ) : null}
      {children}
    </section>
  );
}

const Forecast = React.memo(function Forecast({ place }) {
  const { list = [], loading, error } = useWeather(place);
  if (loading) return <p>…</p>;
  if (error) return <Dialog.Error text={error.message} />;
  return (
    <>
      {list.map(({ day, icon }) => (
        <svg key={day} xlinkHref={weather[icon]} viewBox="0 0 10 10">
          <use xlink:href={`#${icon}`} />
        </svg>
      ))}
    </>
  );
});

export class Planner extends React.Component {
  static contextType = Context;
  static propTypes = { place: PropTypes.string };
  #saved = null;

  state = { week: {}, asking: false };

  constructor(props) {
    super(props);
    this.state = { week: props.week ?? {} };
    this.form = React.createRef();
    this.save = this.save.bind(this);
  }

  static getDerivedStateFromError(error) {
    return { error };
  }

  componentDidUpdate(_, { week }) {
    if (week !== this.state.week) this.save();
  }

  async save() {
    const { week } = this.state;
    this.#saved = await this.props.store?.save(week);
  }

  change = (name) => (tasks) => {
    this.setState(({ week }) => ({ week: { ...week, [name]: tasks } }));
  };

  handleKey = (event) => {
    switch (event.key) {
      case 'Escape':
        this.setState({ asking: false });
        break;
      case 'n': {
        const { week } = this.state;
        const today = days.today();
        this.change(today)([...(week[today] || []), { id: nextId(), kind: 'water' }]);
        break;
      }
      default:
    }
  };

  get total() {
    return Object.values(this.state.week).flat().length;
  }

  renderDay(name) {
    const tasks = this.state.week[name] ?? [];
    return (
      <Day key={name} name={name} tasks={tasks} onChange={this.change(name)}>
        {tasks.length === 0 && <small>nothing to do</small>}
      </Day>
    );
  }

  render() {
    const { place, title: Title = 'h2' } = this.props;
    const names = days.names.filter(Boolean);
    return (
      <Context.Provider value={{ season: SEASONS[0] }}>
        <form ref={this.form} onKeyDown={this.handleKey} onSubmit={(e) => e.preventDefault()}>
          <Title>The week: {this.total} tasks</Title>
          {/* Days come in the order of the calendar. */}
          {names.map((name) => this.renderDay(name))}
          <Suspense fallback={<i>map…</i>}>
            <Map place={place} marker={<Forecast place={place} />} />
          </Suspense>
          <Press kind="primary" disabled onClick={this.save}>
            Save &amp; close
          </Press>
          <this.props.footer />
        </form>
      </Context.Provider>
    );
  }
}

export const Connected = connect(
  (state) => ({ week: state.week }),
  (dispatch) => ({
    onChange: (week) => dispatch({ type: 'week', week }),
    reset() {
      dispatch({ type: 'reset' });
    },
  }),
)(Planner);

function withSeason(Component, season) {
  class WithSeason extends React.Component {
    render() {
      return (
        <Context.Provider value={{ season }}>
          <Component {...this.props} />
        </Context.Provider>
      );
    }
  }
  WithSeason.displayName = `WithSeason(${Component.name})`;
  return WithSeason;
}

function* schedule(tasks, start = 8) {
  let hour = start;
  for (const { minutes } of tasks) {
    yield hour;
    hour += minutes / 60;
  }
}

function reducer(state = {}, { type, ...action }) {
  const handlers = {
    week: () => ({ ...state, week: action.week }),
    reset: () => ({}),
    [days.NEW]: () => state,
  };
  return handlers[type]?.() ?? state;
}

// A tool that can be lent.
class Tool {
  constructor(name, { owner } = {}) {
    [this.name, this.owner] = [name, owner];
    this.lent = false;
  }

  lend = async (neighbour, days = 1) => {
    const until = new Date(Date.now() + days * 86_400_000);
    await fetch('/lend', { method: 'POST', body: JSON.stringify({ neighbour, until }) });
    this.lent = true;
  };

  render({ compact } = {}) {
    if (compact) return this.name;
    const label = this.lent ? `${this.name} (lent)` : this.name;
    return <b onClick={() => this.lend('Ömer')}>{label}</b>;
  }
}

export { Tool as GardenTool };

export const SummerPlanner = withSeason(Planner, SEASONS[1]);

// Tools by owner, the most recent first.
export function byOwner(tools) {
  return Object.groupBy(tools.toReversed(), ({ owner = 'nobody' }) => owner);
}

export const renderWeek = (week, root = document.body) => {
  const hours = [...schedule(Object.values(week).flat())];
  const element = <Planner week={week} place="Köln" footer={() => <footer>{hours.join()}</footer>} />;
  root.append(element);
  return element;
};

if (import.meta.hot) {
  import.meta.hot.accept(({ module }) => module.reload());
}

export { reducer, useStored as useRemembered };
export default (props) => <Planner {...props} />;
