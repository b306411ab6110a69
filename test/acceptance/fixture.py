"""The repository that sessions work on: a small library's lending desk.

Made anew for every run, with rules, documents and tests of its own, laid out by
`code-intel init` and committed, as a user would before the first /code.
"""
import json
import os
import re
import subprocess

FILES = {
    ".gitignore": """\
__pycache__/
""",
    "README.md": """\
# Lending desk

Keeps the loans of a small library: who has which book until when, and what a
late book costs. See docs/loans.md for what members are told.

Run the tests with `python3 -m unittest discover -s tests -t .`.
""",
    "CLAUDE.md": """\
# Rules of this project

- Days are plain `datetime.date` values; never compute with hours.
- Every public function has a docstring of one line.
- Amounts are whole cents.
""",
    "docs/rules.md": """\
# What binds a change

1. A rule that members feel must be explained in docs/loans.md.
2. A function that takes money must never return a negative amount.
3. Tests must not read the clock; the day is an argument.
""",
    "docs/loans.md": """\
# Loans, as members are told

A book is lent for a number of days, LOAN_DAYS. Each day that it comes back
later costs a fee, FEE_PER_DAY.
""",
    "lending/__init__.py": '''\
"""Books that are lent out."""
''',
    "lending/days.py": '''\
"""Arithmetic on days."""
from datetime import timedelta


def after(day, count):
    """Return the day that comes count days after another."""
    return day + timedelta(days=count)


def between(first, last):
    """Return how many days lie between two days, negative if last comes first."""
    return (last - first).days
''',
    "lending/fees.py": '''\
"""What a late book costs."""
from lending.days import between

FEE_PER_DAY = 20


def late_fee(loan, today):
    """Return the cents owed for a loan that is given back today."""
    return max(0, between(loan.due, today)) * FEE_PER_DAY
''',
    "lending/desk.py": '''\
"""The desk: loans that are open."""
from dataclasses import dataclass
from datetime import date

from lending.days import after
from lending.fees import late_fee

LOAN_DAYS = 21


class NotLent(Exception):
    """The book stands on its shelf."""


@dataclass
class Loan:
    """One book in the hands of one member."""

    book: str
    member: str
    due: date


class Desk:
    """The loans that are open, by book."""

    def __init__(self):
        self._loans = {}

    def lend(self, book, member, today):
        """Lend a book and return its loan."""
        self._loans[book] = Loan(book, member, after(today, LOAN_DAYS))
        return self._loans[book]

    def give_back(self, book, today):
        """Take a book back and return the fee that is owed."""
        return late_fee(self._loans.pop(self.loan(book).book), today)

    def loan(self, book):
        """Return the open loan of a book."""
        if book not in self._loans:
            raise NotLent(book)
        return self._loans[book]

    def open_loans(self):
        """Return every open loan, the one that is due first at the front."""
        return sorted(self._loans.values(), key=lambda loan: loan.due)
''',
    "lending/notices.py": '''\
"""Letters to members."""
from lending.fees import late_fee


def overdue_notice(loan, today):
    """Return the letter about a loan that is late."""
    return "%s: please bring back %s; you owe %d cents." % (loan.member, loan.book, late_fee(loan, today))
''',
    "lending/report.py": '''\
"""What the desk sees in the morning."""
from lending.notices import overdue_notice


def morning(desk, today):
    """Return the letters to send today."""
    return [overdue_notice(loan, today) for loan in desk.open_loans() if loan.due < today]
''',
    "lending/terms.txt": """\
A book is lent for 21 days.
""",
    "tests/__init__.py": "",
    "tests/test_desk.py": '''\
import unittest
from datetime import date

from lending.days import after
from lending.desk import LOAN_DAYS, Desk, NotLent
from lending.report import morning

MONDAY = date(2026, 3, 2)


class TestDesk(unittest.TestCase):
    def test_in_time_costs_nothing(self):
        desk = Desk()
        loan = desk.lend("Emma", "Ada", MONDAY)
        self.assertEqual(loan.due, after(MONDAY, LOAN_DAYS))
        self.assertEqual(desk.give_back("Emma", MONDAY), 0)

    def test_late_costs_a_fee(self):
        desk = Desk()
        loan = desk.lend("Emma", "Ada", MONDAY)
        self.assertEqual(desk.give_back("Emma", after(loan.due, 5)), 100)

    def test_unknown_book(self):
        with self.assertRaises(NotLent):
            Desk().give_back("Emma", MONDAY)

    def test_morning_names_late_members(self):
        desk = Desk()
        loan = desk.lend("Emma", "Ada", MONDAY)
        self.assertEqual(morning(desk, loan.due), [])
        self.assertIn("Ada", morning(desk, after(loan.due, 5))[0])
''',
}

VERIFIER = "backend"         # whose command is this one
TEST_COMMAND = "python3 -B -m unittest discover -s tests -t ."


def git(root, *arguments):
    """Runs git and returns what it prints."""
    p = subprocess.run(["git", "-C", root, "-c", "core.quotePath=off", *arguments], capture_output=True, text=True)
    if p.returncode != 0:
        raise RuntimeError("git %s: %s" % (" ".join(arguments), p.stderr.strip()))
    return p.stdout


def put(root, path, text):
    full = os.path.join(root, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w") as f:
        f.write(text)


def set_command(verifier):
    """Puts our test command in place of the one that init proposes."""
    with open(verifier) as f:
        text = f.read()
    new, count = re.subn(r"^command:.*\n(?:  *- .*\n)*", "command: %s\n" % json.dumps(TEST_COMMAND.split()), text, flags=re.M)
    if count != 1:
        raise RuntimeError("init proposes no command in %s:\n%s" % (verifier, text[:1000]))
    with open(verifier, "w") as f:
        f.write(new)


def command_line(root, program, environment, *arguments):
    """Runs the program as the user would."""
    p = subprocess.run([program, *arguments], cwd=root, env=environment, capture_output=True, text=True)
    if p.returncode != 0:
        raise RuntimeError("code-intel %s: %s%s" % (" ".join(arguments), p.stdout, p.stderr))


def into_worktree(root, main):
    """Makes the repository in root a linked working tree of one in main, with another branch checked out there."""
    os.rename(root, main)
    git(main, "checkout", "-q", "--detach")
    git(main, "worktree", "add", "-q", root, "main")


def make(root, program, environment, lang=""):
    """Lays the repository out in root and returns its first commit."""
    for path, text in FILES.items():
        put(root, path, text)
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "user.name", "A User")
    git(root, "config", "user.email", "user@example.invalid")
    command_line(root, program, environment, "init", *(["--lang", lang] if lang else []))
    set_command(os.path.join(root, ".code-intel/verifiers", VERIFIER + ".md"))
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Open the desk")
    return git(root, "rev-parse", "HEAD").strip()
