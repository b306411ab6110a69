"""The table of docs/enforcement.md: what became of the sessions of real clients.

It says what their records say, and nothing else.
"""
import collections

BEGIN, END = "<!-- real: written by make accept -->\n", "<!-- end of real -->\n"


def table(jobs, reports, scenarios):
    """A line for each scenario, with the turns of each client."""
    played = collections.defaultdict(dict)
    for job, report in zip(jobs, reports):
        if report["client"]:                 # none, without a client
            played[job["scenario"]][column(job, report)] = report
    columns = list(dict.fromkeys(column(j, r) for j, r in zip(jobs, reports) if r["client"]))
    yield "| session | refused | ends | %s |" % " | ".join(columns)
    yield "|---|---|---|" + "---:|" * len(columns)
    for name, by in played.items():
        turns = [str(by[c]["turns"]) if c in by else "" for c in columns]
        yield "| %s | %s | %s | %s |" % (scenarios[name].about, merged(by, refused), merged(by, lambda r: r["end"]), " | ".join(turns))


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
    with open(path) as f:
        text = f.read()
    before, found, rest = text.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        raise SystemExit("%s has no place for the table" % path)
    with open(path, "w") as f:
        f.write(before + BEGIN + "".join(line + "\n" for line in lines) + END + after)
