"""Honest agents with habits of their own."""
import json

from agent import Agent


class Terse(Agent):
    """Says no more than it is made to."""

    def words(self, data):
        short = {"summary": "ok", "reason": "seen it all", "details": "ran " + self.test_command.split()[0], "tools_used": []}
        return dict(data, **{key: short[key] for key in short if key in data})


class Wordy(Agent):
    """Says everything at length, and sends it as JSON in a string, as some models do."""

    LONG = "As I went along, I looked at this with care, and then again: %s. "

    def words(self, data):
        long = {key: self.LONG % data[key] * 20 for key in ("summary", "reason", "details") if key in data}
        return json.dumps(dict(data, **long), indent=2)
