#!/usr/bin/env python3
# -*- coding: utf-8 -*-
# Copyright of the observatory's friends.
"""Readings of a small weather observatory.

Stations send readings; an :class:`Archive` keeps them and answers questions
about them, e.g. ``archive.mean("Zürich")``.
"""

from __future__ import annotations

import abc
import asyncio
import contextlib
import enum
import functools
import logging as log
import os.path, sys
import xml.etree.ElementTree as ET
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import (
    dataclass,
    field as attribute,
)
from typing import (
    TYPE_CHECKING, Any, ClassVar, Generic, Literal, NamedTuple, Protocol,
    TypedDict, TypeVar, overload,
)

from . import calendar
from .stations import Station as Site, nearest
from ..storage.sqlite import *

if TYPE_CHECKING:
    from .alarms import Alarm

if sys.version_info >= (3, 12):
    from typing import override
else:
    def override(method):
        return method

__all__ = ["Archive", "Reading", "mittelwert"]
__version__ = "2.1.0"

logger = log.getLogger(__name__)

ABSOLUTE_ZERO: float = -273.15  # of Celsius
#: Degrees that a reading may jump within a minute.
MAX_JUMP = 12.5
π = 3.14159
Unit = Literal["C", "F", "K"]
R = TypeVar("R", bound="Reading")
type Grid[T] = dict[tuple[int, int], list[T]]

REPORT = """
class NotAClass:
    def not_a_method(self): ...
import nothing
"""
_registry: dict[str, type[Sensor]] = {}
lowest = highest = None
(north, south), *elsewhere = (1, -1), 0, 0


class Quality(enum.IntFlag):
    """How far a reading can be trusted."""

    GOOD = enum.auto()
    SUSPECT = 2
    FLAGGED = SUSPECT | 4

    @classmethod
    def worst(cls) -> Quality:
        return max(cls)


class Position(NamedTuple):
    """Where a station stands."""

    latitude: float
    longitude: float = 0.0


class Options(TypedDict, total=False):
    unit: Unit
    retries: int


class Measures(Protocol[R]):
    """Anything that measures."""

    def measure(self, /, at: float, *, unit: Unit = "C") -> R: ...


class SensorError(ValueError):
    pass


class Window[T: (int, float), *Rest](deque[T]):
    """The last few values."""

    def push(self, value: T, *rest: *Rest) -> T:
        self.last, (self.sum, _), self.seen[0] = value, (0, 1), 2
        return self.last


class Registered(type):
    """Notes each class that is made."""

    def __new__(mcs, name, bases, namespace, **options):
        cls = super().__new__(mcs, name, bases, namespace)
        _registry[name.lower()] = cls
        return cls

    def __getitem__(cls, key):
        return _registry[key]


# A reading is never changed.
# Lesbar für alle.
@functools.total_ordering
@dataclass(frozen=True, slots=True)
class Reading:
    station: str
    celsius: float
    at: float = attribute(default=0.0, compare=False)
    quality: Quality = Quality.GOOD
    tags: set[str] = attribute(default_factory=set)
    count: ClassVar[int] = 0

    def __post_init__(self) -> None:
        if self.celsius < ABSOLUTE_ZERO:
            raise SensorError(f"{self.station!r}: {self.celsius:.1f}°C is too cold")

    @property
    def fahrenheit(self) -> float:
        """The temperature for overseas readers."""
        return self.celsius * 9 / 5 + 32

    @fahrenheit.setter
    def fahrenheit(self, value: float) -> None:
        object.__setattr__(self, "celsius", (value - 32) * 5 / 9)

    @staticmethod
    def parse(line: str, sep=";") -> Reading:
        station, celsius, *rest = line.split(sep)
        at = float(rest[0]) if rest else 0.0
        return Reading(station, float(celsius), at=at)

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Reading):
            return NotImplemented
        return self.celsius < other.celsius

    kelvin = property(lambda self: self.celsius - ABSOLUTE_ZERO)


class Sensor(metaclass=Registered):
    """A sensor of one station.

    It gives readings until it is closed.
    """

    __slots__ = ("site", "_open", "__secret")
    interval, jitter = 60, 0.5

    def __init__(self, site: Site, **options: Any):
        self.site = site
        self._open, self.failures = True, 0
        self.__secret = options.pop("secret", None)
        self.position: Position = Position(*site.where)
        self.site.sensor = self

    def __init_subclass__(cls, /, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.kind = cls.__name__

    @abc.abstractmethod
    def measure(self) -> float:
        """Return the temperature now."""

    def __iter__(self) -> Iterator[float]:
        while self._open:
            yield self.measure()

    class Calibration:
        """What to add to a measured value."""

        offset = 0.0

        class Entry:
            def apply(self, value):
                self.last = value
                return value + Sensor.Calibration.offset


class Thermometer(Sensor, secret="x"):
    def measure(self):
        return self._read()["value"]

    @override
    def __iter__(self):
        yield from super().__iter__()

    def _read(self, *, path=os.path.join("/dev", "therm0")):
        with open(path) as device, contextlib.suppress(OSError):
            return {"value": float(device.read())}
        return dict(value=float("nan"))


class Archive(Generic[R]):
    """Readings by station, newest last."""

    def __init__(self, limit: int = 1_000) -> None:
        self._readings: defaultdict[str, deque[R]] = defaultdict(
            lambda: deque(maxlen=limit),
        )
        self.listeners: list[Callable[[R], None]] = []

    def add(self, reading: R, *more: R) -> Archive[R]:
        for each in (reading, *more):
            self._readings[each.station].append(each)
            for listener in self.listeners:
                listener(each)
        return self

    @overload
    def mean(self, station: str) -> float: ...
    @overload
    def mean(self, station: None = None) -> dict[str, float]: ...

    def mean(self, station=None):
        """Return the mean of one station, or of each.

        >>> Archive().mean("Bern")
        0.0
        """
        def of(readings):
            values = [r.celsius for r in readings if r.quality & Quality.GOOD]
            return sum(values) / len(values) if values else 0.0

        if station is None:
            return {name: of(rs) for name, rs in self._readings.items()}
        return of(self._readings[station])

    def outliers(self, jump=MAX_JUMP):
        previous = None
        for readings in self._readings.values():
            for reading in readings:
                if previous and abs(reading.celsius - previous.celsius) > jump:
                    yield previous, reading
                previous = reading

    def hottest(self, *stations: str) -> R | None:
        candidates = (r for s in stations for r in self._readings[s])
        if (best := max(candidates, key=lambda r: r.celsius, default=None)):
            return best
        return None

    def __contains__(self, station) -> bool:
        return station in self._readings


def retry[**P, T](times: int, *errors: type[Exception]) -> Callable[P, T]:
    """Call a coroutine again when it fails."""

    def decorate(function):
        calls = 0

        @functools.wraps(function)
        async def wrapper(*args, **kwargs):
            nonlocal calls
            for attempt in range(times):
                calls += 1
                try:
                    return await function(*args, **kwargs)
                except errors as error:
                    logger.warning("%s: %s (%d)", function.__name__, error, attempt)
                    await asyncio.sleep(2 ** attempt)
                else:
                    break
                finally:
                    del error
            raise TimeoutError(calls)

        return wrapper

    return decorate


@retry(3, OSError)
async def poll(sensors: Iterable[Sensor], *, pause: float = 1.0) -> AsyncIterator[Reading]:
    global lowest
    async with asyncio.TaskGroup() as group:
        tasks = {group.create_task(asyncio.to_thread(s.measure)): s for s in sensors}
    async for task in asyncio.as_completed(tasks):
        value = await task
        lowest = value if lowest is None else min(lowest, value)
        yield Reading(tasks[task].site.name, value)
    await asyncio.sleep(pause)


def describe(event: Reading | Position | dict | list) -> str:
    match event:
        case Reading(station=name, celsius=t) if t > 30:
            return f"{name}: hot, {t:{'>'}8.1f}"
        case Reading(quality=Quality.SUSPECT | Quality.FLAGGED):
            return "doubtful"
        case Position(lat, lon):
            return f"{lat},{lon}"
        case {"kind": "rain" | "snow" as kind, "mm": float(amount), **rest}:
            return f"{kind} {amount} {len(rest)}"
        case [first, *_, last] | (first, last):
            return f"{first}–{last}"
        case calendar.Day(hour=0) | calendar.zones.UTC:
            return "day"
        case calendar.MIDNIGHT:
            return "midnight"
        case str() | None:
            return ""
        case other:
            return repr(other)


def mittelwert(größen: list[float], /, gewicht: Callable[[float], float] = lambda x: 1.0) -> float:
    """Gewichtetes Mittel der Größen."""
    summe = sum(x * gewicht(x) for x in größen)
    log = summe / max(len(größen), 1)
    return log


def load_xml(path):
    root = ET.parse(path).getroot()
    log.info("reading %s", path)
    for node in root.iter("reading"):
        station, text = node.get("station"), node.text
        yield Reading.parse(f"{station};{text}")
    matrix = [[cell * π for cell in row] for row in [[1, 2], [3, 4]]]
    flat = {cell for row in matrix for cell in row}
    assert flat, "nothing"


setattr(Sensor, "closed", property(lambda self: not self._open))
Sensor.default = Thermometer
Reading.__doc__ += "\n\nMore."

try:
    import numpy as np
except ModuleNotFoundError:
    np = None
else:
    def vector(archive: Archive) -> np.ndarray:
        return np.array([*archive.mean().values()])


async def main(argv: list[str] | None = None) -> int:
    """Poll all stations once and print what they say."""
    archive = Archive[Reading](limit=10)
    sensors = [Thermometer(site) for site in nearest(argv or sys.argv[1:])]
    async for reading in poll(sensors):
        archive.add(reading)
    a, b = divmod(len(sensors), 2)
    print(*(describe(r) for pair in archive.outliers() for r in pair), sep="\n")
    print(f"{a=} {b!s:>4} {archive.mean()['Bern']:0.2f}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
