#!/usr/bin/env python3
"""Plays whole sessions of code-intel by real clients with a scripted model.

    python3 test/acceptance/run.py                              everything
    python3 test/acceptance/run.py --client direct              no client, no network: seconds
    python3 test/acceptance/run.py --client codex --scenario killed

Prints a table and exits with 1 if anything failed. See README.md beside this file.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import install                                                       # noqa: E402
import page                                                          # noqa: E402
import check_the_checks                                                        # noqa: E402
from scenarios import SCENARIOS                                      # noqa: E402

# name: (kind, package, model). They offer tools in four different ways; see harness/model.py.
CLIENTS = {
    "claude": ("claude", "claude", None),
    "claude-old": ("claude", "claude-old", None),
    "codex": ("codex", "codex", None),
    "codex-gpt-5.5": ("codex", "codex", "gpt-5.5"),
    "codex-gpt-6.1-sol": ("codex", "codex", "gpt-6.1-sol"),
    "direct": ("direct", None, None),
}


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--client", action="append", choices=list(CLIENTS), help="only this one; may be repeated")
    p.add_argument("--scenario", action="append", choices=list(SCENARIOS), help="only this one; may be repeated")
    p.add_argument("--program", default=os.path.join(os.path.dirname(os.path.dirname(HERE)), "bin", "code-intel"), help="the program to test")
    p.add_argument("--cache", default=os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "code-intel-accept"),
                   help="where clients and the traces of runs are kept")
    p.add_argument("--write", metavar="PAGE", help="write what was played into the table of the real clients in this page, if all of it is as it should be")
    p.add_argument("--resume", action="store_true", help="keep what was played well since the program and the scripts were last changed")
    p.add_argument("--jobs", type=int, default=2, help="sessions at once")
    p.add_argument("--timeout", type=int, default=300, help="seconds for one process of a client")
    a = p.parse_args()
    return a


def kept(job):
    """The report of an earlier run, if it is good and younger than all that it hangs on."""
    path = job["folder"] + "/report.json"
    scripts = [f for f in glob.glob(HERE + "/*.py") + glob.glob(HERE + "/harness/*.py") if os.path.basename(f) not in APART]
    if not os.path.exists(path) or os.path.getmtime(path) < max(map(os.path.getmtime, scripts + [job["program"]])):
        return None
    with open(path) as f:
        report = json.load(f)
    return None if report["failures"] else report


APART = ("run.py", "page.py", "check_the_checks.py", "terminal.py", "chroma.py", "gate.py", "model.py", "model_reference.py")      # no session hangs on these


def play(job):
    """Plays one job in a process of its own, real clients behind closed doors."""
    report = kept(job) if job["resume"] else None
    if report:
        return report
    shutil.rmtree(job["folder"], ignore_errors=True)
    os.makedirs(job["folder"])
    path = job["folder"] + "/job.json"
    with open(path, "w") as f:
        json.dump(job, f, indent=1)
    command = [sys.executable, os.path.join(HERE, "play.py"), path]
    if job["client"] != "direct":
        alone = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
        command = alone + (["--map-root-user"] if os.geteuid() != 0 else []) + command
    try:
        p = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=4 * job["timeout"])
        with open(job["folder"] + "/report.json") as f:
            return json.load(f)
    except subprocess.TimeoutExpired:
        return {"failures": ["no end within %d s" % (4 * job["timeout"])], "seconds": 4 * job["timeout"], "calls": 0}
    except FileNotFoundError:
        return {"failures": [(p.stderr or p.stdout)[-1000:] or "no report"], "seconds": 0, "calls": 0}


def main():
    a = arguments()
    if not os.access(a.program, os.X_OK):
        raise SystemExit("%s is not there; run make build" % a.program)
    jobs = []
    for client in a.client or CLIENTS:
        kind, package, model = CLIENTS[client]
        binary = package and install.program(a.cache, package)
        for name in a.scenario or SCENARIOS:
            if client not in (SCENARIOS[name].clients or CLIENTS):
                continue
            jobs.append({"name": client, "client": kind, "binary": binary, "model": model, "scenario": name,
                         "program": os.path.abspath(a.program), "timeout": a.timeout, "resume": a.resume,
                         "folder": os.path.join(os.path.realpath(a.cache), "runs", "%s.%s" % (client, name))})
    failed, reports = [], []
    row = "%-18s %-15s %-5s %6s %6s %8s"
    print(row % ("client", "scenario", "", "calls", "no", "seconds"), flush=True)
    with concurrent.futures.ThreadPoolExecutor(max(1, a.jobs)) as pool:
        for job, report in zip(jobs, pool.map(play, jobs)):
            reports.append(report)
            verdict = "FAIL" if report["failures"] else "ok"
            print(row % (job["name"], job["scenario"], verdict, report["calls"], len(report.get("refusals", [])), report["seconds"]), flush=True)
            if report["failures"]:
                failed.append((job, report))
    for job, report in failed:
        print("\n%s, %s: see %s" % (job["name"], job["scenario"], job["folder"]))
        for f in report["failures"]:
            print("  " + f.strip().replace("\n", "\n  "))
    print("\n%d of %d sessions as they should be" % (len(jobs) - len(failed), len(jobs)))
    missed = 0
    if not a.client and not a.scenario:
        missed = check_the_checks.main(os.path.abspath(a.program), os.path.join(os.path.realpath(a.cache), "runs", "tampered"))
    if failed or missed:
        return 1
    if a.write:
        page.write(a.write, page.table(jobs, reports, SCENARIOS, a.write))
    return 0


if __name__ == "__main__":
    sys.exit(main())
