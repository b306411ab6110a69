"""What the model knows when a session begins: the request, and the code it would write.

The session decides when each piece is used. A plan has rounds: the second holds
what only a failed verification or a review would bring up.
"""
from dataclasses import dataclass, field


@dataclass
class Edit:
    """Lines to replace in a file, or, with no old ones, a file to make."""
    path: str
    new: str
    old: str = None


@dataclass
class Item:
    """One line of a checklist, and the text in a file that will show it."""
    text: str
    path: str
    mark: str


@dataclass
class Task:
    id: str
    description: str
    edits: list
    items: list


@dataclass
class Work:
    intent: str
    query: str
    flags: list = field(default_factory=list)
    action: str = ""
    symbols: list = field(default_factory=list)      # the names the request is about
    words: list = field(default_factory=list)        # to search the text for
    scope: str = ""
    constraints: list = field(default_factory=list)
    slots: dict = field(default_factory=dict)        # slot: (value, words of the query)
    rounds: list = field(default_factory=list)       # of lists of tasks
    strays: list = field(default_factory=list)       # edits that do not belong to the task
    must_change: dict = field(default_factory=dict)  # path: the issue if a review does not show it changed
    keep: dict = field(default_factory=dict)         # path: why its tests may expect something else
    message: str = ""                                # of the commit

    def tasks(self):
        return [task for tasks in self.rounds for task in tasks]

    def paths(self):
        """The files that the work is meant to change."""
        return sorted({edit.path for task in self.tasks() for edit in task.edits})


# Long enough for several pages of a review, and full of what JSON must escape.
RENEWAL_CASES = "".join('"%d","%d","%d","",""\n' % (day, times, 21 * (times + 1) - day)
                        for times in range(3) for step in range(3) for day in range(step, 21 * (times + 1) + 1))


def renewals():
    """Adds a method, with tests and words for members."""
    return Work(
        intent="IMPLEMENT",
        query="Add a renew method to the lending Desk that extends a loan, at most twice. Members ask for it at the desk; "
              "today they have to give the book back and lend it again.",
        action="add", symbols=["Desk", "Loan"], words=["LOAN_DAYS", "loan.due", "desk"], scope="lending/desk.py, its tests and docs/loans.md",
        constraints=["an overdue loan is not renewed"],
        slots={"target_feature": ("the lending Desk", "the lending Desk"),
               "trigger_condition": ("members ask at the desk", "Members ask for it at the desk"),
               "observed_issue": ("members give the book back and lend it again", "have to give the book back and lend it again"),
               "desired_action": ("add a renew method", "Add a renew method")},
        rounds=[[
            Task("renew", "Desk.renew extends a loan", [
                Edit("lending/desk.py", old="LOAN_DAYS = 21", new="LOAN_DAYS = 21\nMAX_RENEWALS = 2"),
                Edit("lending/desk.py", old="    due: date", new="    due: date\n    renewals: int = 0"),
                Edit("lending/desk.py", old='class NotLent(Exception):',
                     new='class NoRenewal(Exception):\n    """The loan is late, or was renewed too often."""\n\n\nclass NotLent(Exception):'),
                Edit("lending/desk.py", old="    def give_back(self, book, today):", new='''\
    def renew(self, book, today):
        """Extend the loan of a book and return it."""
        loan = self.loan(book)
        if loan.due < today or loan.renewals >= MAX_RENEWALS:
            raise NoRenewal(book)
        loan.due, loan.renewals = after(loan.due, LOAN_DAYS), loan.renewals + 1
        return loan

    def give_back(self, book, today):'''),
            ], [
                Item("lending/desk.py: MAX_RENEWALS", "lending/desk.py", "MAX_RENEWALS = 2"),
                Item("lending/desk.py: renew()", "lending/desk.py", "def renew("),
            ]),
            Task("tests", "Renewals are tested and told to members", [
                Edit("tests/renewals.csv", new=RENEWAL_CASES),
                Edit("tests/test_renew.py", new='''\
import csv
import os
import unittest
from datetime import date

from lending.days import after, between
from lending.desk import Desk, NoRenewal

MONDAY = date(2026, 3, 2)


class TestRenew(unittest.TestCase):
    def test_cases(self):
        with open(os.path.join(os.path.dirname(__file__), "renewals.csv")) as f:
            cases = [(int(day), int(times), int(left)) for day, times, left, *_ in csv.reader(f)]
        for day, times, left in cases:
            desk = Desk()
            loan = desk.lend("Emma", "Ada", MONDAY)
            for _ in range(times):
                desk.renew("Emma", MONDAY)
            self.assertEqual(between(after(MONDAY, day), loan.due), left)

    def test_not_a_third_time(self):
        desk = Desk()
        desk.lend("Emma", "Ada", MONDAY)
        desk.renew("Emma", MONDAY)
        desk.renew("Emma", MONDAY)
        with self.assertRaises(NoRenewal):
            desk.renew("Emma", MONDAY)

    def test_not_when_late(self):
        desk = Desk()
        loan = desk.lend("Emma", "Ada", MONDAY)
        with self.assertRaises(NoRenewal):
            desk.renew("Emma", after(loan.due, 1))
'''),
                Edit("docs/loans.md", old="later costs a fee, FEE_PER_DAY.",
                     new="later costs a fee, FEE_PER_DAY.\n\nA loan that is not late may be renewed MAX_RENEWALS times."),
            ], [
                Item("tests/test_renew.py: a loan is renewed", "tests/test_renew.py", "def test_cases"),
                Item("tests/test_renew.py: not a third time", "tests/test_renew.py", "def test_not_a_third_time"),
                Item("docs/loans.md: renewals", "docs/loans.md", "MAX_RENEWALS"),
            ]),
        ]],
        strays=[Edit("lending/scratch.txt", new="renew: desk or loan? desk.\n")],
        message="Let the desk renew a loan, at most twice")


def days_of_grace(flags=()):
    """Changes behaviour; the first attempt is wrong and forgets the document."""
    return Work(
        intent="MODIFY", flags=list(flags),
        query="late_fee charges from the first day, and members complain. Change late_fee so that the first three days are free.",
        action="change", symbols=["late_fee"], words=["FEE_PER_DAY", "late_fee"], scope="lending/fees.py",
        constraints=["a fee is never negative"],
        slots={"target_feature": ("late_fee", "late_fee"),
               "observed_issue": ("members complain that late_fee charges from the first day",
                                  "late_fee charges from the first day, and members complain"),
               "desired_action": ("the first three days are free", "Change late_fee so that the first three days are free")},
        rounds=[
            [Task("grace", "The first three days are free", [
                Edit("lending/fees.py", old="FEE_PER_DAY = 20", new="FEE_PER_DAY = 20\nGRACE_DAYS = 3"),
                Edit("lending/fees.py", old="    return max(0, between(loan.due, today)) * FEE_PER_DAY",
                     new="    return (between(loan.due, today) - GRACE_DAYS) * FEE_PER_DAY"),
                Edit("tests/test_desk.py", old='        self.assertEqual(desk.give_back("Emma", after(loan.due, 5)), 100)',
                     new='        self.assertEqual(desk.give_back("Emma", after(loan.due, 5)), 40)'),
            ], [
                Item("lending/fees.py: GRACE_DAYS", "lending/fees.py", "GRACE_DAYS = 3"),
                Item("lending/fees.py: late_fee() leaves them out", "lending/fees.py", "- GRACE_DAYS"),
                Item("tests/test_desk.py: five days late cost two", "tests/test_desk.py", "5)), 40)"),
            ])],
            [Task("never-negative", "A fee is never negative", [
                Edit("lending/fees.py", old="    return (between(loan.due, today) - GRACE_DAYS) * FEE_PER_DAY",
                     new="    return max(0, between(loan.due, today) - GRACE_DAYS) * FEE_PER_DAY"),
            ], [
                Item("lending/fees.py: late_fee() is at least 0", "lending/fees.py", "max(0, between(loan.due, today) - GRACE_DAYS)"),
            ])],
            [Task("tell-members", "Members are told of the free days", [
                Edit("docs/loans.md", old="later costs a fee, FEE_PER_DAY.",
                     new="later costs a fee, FEE_PER_DAY. The first days, GRACE_DAYS, are free."),
            ], [
                Item("docs/loans.md: the free days", "docs/loans.md", "GRACE_DAYS"),
            ])],
        ],
        must_change={"docs/loans.md": "members feel the change, but docs/loans.md does not explain it (docs/rules.md:3)"},
        keep={"tests/test_desk.py": "the first three days are free: late_fee now leaves them out"},
        message="Let the first three days of lateness be free")


def longer_loans(flags=()):
    """A change of a line here and there, one in a file that no grammar knows."""
    return Work(
        intent="MODIFY", flags=list(flags), query="Lend books for 28 days instead of 21.",
        action="change", symbols=["LOAN_DAYS"], words=["LOAN_DAYS"], scope="lending/desk.py",
        slots={"desired_action": ("lend books for 28 days", "Lend books for 28 days")},
        rounds=[[Task("days", "LOAN_DAYS is 28", [
            Edit("lending/desk.py", old="LOAN_DAYS = 21", new="LOAN_DAYS = 28"),
            Edit("lending/terms.txt", old="A book is lent for 21 days.", new="A book is lent for 28 days."),
        ], [
            Item("lending/desk.py: LOAN_DAYS", "lending/desk.py", "LOAN_DAYS = 28"),
            Item("lending/terms.txt: 28 days", "lending/terms.txt", "28 days"),
        ])]],
        message="Lend books for 28 days")


def where_fees_come_from():
    """A question about the code."""
    return Work(
        intent="INVESTIGATE", query="Where does the fee for a late book come from, and who shows it to members?",
        action="find out", symbols=["late_fee"], words=["late_fee", "cents"], scope="lending/",
        slots={"target_feature": ("the fee for a late book", "the fee for a late book")})


def longer_loans_in_japanese():
    """The same in Japanese, and a document whose name is Japanese."""
    return Work(
        intent="MODIFY", query="貸出期間を21日から28日に延ばしてください。会員から短すぎるという声があります。",
        action="延長", symbols=["LOAN_DAYS"], words=["LOAN_DAYS"], scope="lending/desk.py と会員向けの文書",
        slots={"target_feature": ("貸出期間", "貸出期間"),
               "observed_issue": ("会員から短すぎるという声がある", "会員から短すぎるという声があります"),
               "desired_action": ("21日から28日に延ばす", "21日から28日に延ばしてください")},
        rounds=[[Task("期間", "貸出期間を28日にする", [
            Edit("lending/desk.py", old="LOAN_DAYS = 21", new="LOAN_DAYS = 28"),
            Edit("docs/貸出のきまり.md", new="# 貸出のきまり\n\n本は28日間借りられます。\n"),
        ], [
            Item("lending/desk.py: LOAN_DAYS を28にする", "lending/desk.py", "LOAN_DAYS = 28"),
            Item("docs/貸出のきまり.md: 28日間と書く", "docs/貸出のきまり.md", "28日間"),
        ])]],
        message="貸出期間を28日に延ばす")
