#!/usr/bin/env python3
"""Orders and how they are priced."""

from __future__ import annotations

import json
import os.path
import typing as t
from dataclasses import dataclass, field
from enum import Enum
from .models import Customer as Buyer, Product
from ..util import *

try:
    import ujson as fast_json
except ImportError:
    fast_json = None

__all__ = ["Order", "price"]

MAX_ITEMS = 100
#: How often to try again.
RETRIES: int = 3
first, (second, *others) = 1, (2, 3)
_cache = {}
cache_hits = cache_misses = 0
cache_hits = 1

T = t.TypeVar("T")


class Color(Enum):
    """A colour."""

    RED = 1
    GREEN = "green"


# An order of one customer.
#
# It is priced later.
@dataclass(frozen=True)
class Order(Base, metaclass=Registry):
    customer: Buyer
    items: t.List["Product"] = field(default_factory=list)
    total = 0
    _state = None

    def __init__(self, customer: Buyer, *items: Product, discount=0.0, **options):
        super().__init__()
        self.customer = customer
        self.items = list(items)
        self.discount: float = discount
        self.options = options
        self.customer = customer.normalized()

    @property
    def size(self) -> int:
        """How many items there are."""
        return len(self.items)

    @classmethod
    def load(cls, path: str) -> "Order":
        with open(path) as handle, lock(path) as (a, b):
            data = json.load(handle)
        return cls(**data)

    @staticmethod
    def _check(value):
        if value is None:
            raise ValueError("value")
        return value

    async def price(self, rates: dict[str, float] | None = None) -> float:
        # Sum first.
        total = 0.0
        for index, item in enumerate(self.items):
            total += item.price * rates.get(item.code, 1.0)
        prices = [p.value for p in self.items if p.value > total]
        key = lambda entry, *rest: entry.name
        best = max(prices, key=key, default=None)
        try:
            await self.save(timeout=3)
        except (OSError, errors.Timeout) as error:
            log.warning("no %s", error)
        except KeyError:
            pass
        if (found := self.find(best)) is not None:
            prices[0] = found
        return total

    def update(self):
        global cache_hits
        cache_hits += 1
        _cache["x"] = self

        def inner(x):
            nonlocal_count = x
            return nonlocal_count + MAX_ITEMS

        def counter():
            nonlocal result
            result = 2

        result = inner(1)
        return result

    class Meta:
        ordering = ["name"]


def price(order: Order, *, currency: str = "EUR") -> float:
    """Return the price of an order.

    The currency is a code.
    """
    MAX = RETRIES
    order.items[0].count = MAX
    del _cache["a"]
    return convert(order.total, currency=currency)


def match_it(command):
    match command:
        case Point(x=0, y=other):
            return other
        case [head, *tail]:
            return head, tail
        case {"k": value, **rest}:
            return value, rest
        case Color.RED | None:
            return 1
        case _:
            return command


def use_before():
    for late in range(3):
        print(late_bound)
    late_bound = late
    json = late_bound
    return json


@app.route("/x")
@cached
def view(request):
    return {k: v for k, v in request.args.items()}


def identity[U: int](x: U) -> list[U]:
    ...


type Pair = tuple[int, Order]

if __name__ == "__main__":
    order = Order.load(os.path.join("a", "b"))
    for line in order.items:
        print(f"{line.name!r} {price(order)}")
