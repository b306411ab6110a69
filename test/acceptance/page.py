"""The table of docs/design/enforcement-tests.md: what became of the sessions of real clients.

It says what their records say, and nothing else.
"""
import collections

BEGIN, END = "<!-- real: written by make accept -->\n", "<!-- end of real -->\n"


def table(jobs, reports, scenarios, page):
    """A line for each scenario, with the turns of each client. What was not played now stays as the page has it."""
    played = collections.defaultdict(dict)
    for job, report in zip(jobs, reports):
        if report["client"]:                 # none, without a client
            played[job["scenario"]][column(job, report)] = report
    columns, was = rows(page)
    columns = list(dict.fromkeys(columns + [column(j, r) for j, r in zip(jobs, reports) if r["client"]]))
    yield "| session | refused | ends | %s |" % " | ".join(columns)
    yield "|---|---|---|" + "---:|" * len(columns)
    for name, scenario in scenarios.items():
        by = played.get(name, {})
        row = dict(was.get(scenario.about, {}))
        kept = any(row.get(c) and c not in by for c in columns)
        for what, say in (("refused", refused), ("ends", lambda r: r["end"])):
            now = merged(by, say)
            row[what] = "; ".join(dict.fromkeys(filter(None, [row.get(what)] * kept + [now])))
        row.update({c: str(report["turns"]) for c, report in by.items()})
        if any(row.get(c) for c in columns):
            yield "| %s | %s | %s | %s |" % (scenario.about, row["refused"], row["ends"], " | ".join(row.get(c, "") for c in columns))


def rows(page):
    """The table that a page holds: its columns of clients, and its rows by what they are about."""
    with open(page) as f:
        lines = f.read().partition(BEGIN)[2].partition(END)[0].splitlines()
    cells = [[c.strip() for c in line[1:-1].split(" | ")] for line in lines if line.startswith("| ")]
    if not cells:
        return [], {}
    columns = cells[0][3:]
    return columns, {row[0]: dict(zip(["refused", "ends"] + columns, row[1:])) for row in cells[1:]}


def column(job, report):
    return report["client"] + (", " + job["model"] if job["model"] else "")


def merged(by, what):
    """What is the same for every client; else what it is for each."""
    said = dict.fromkeys(what(report) for report in by.values())
    return "; ".join(filter(None, said))


def refused(report):
    """The refusals that the agent met: their code, or how many there were."""
    codes = set(report["refusals"])
    count = len(report["refusals"])
    if len(codes) != 1:
        return str(count or "")
    return "`%s`" % codes.pop() + (" × %d" % count if count > 1 else "")


def write(path, lines):
    """Puts the lines between the marks of a page."""
    new = "".join(line + "\n" for line in lines)
    with open(path) as f:
        text = f.read()
    before, found, rest = text.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        raise SystemExit("%s has no place for the table" % path)
    with open(path, "w") as f:
        f.write(before + BEGIN + new + END + after)
