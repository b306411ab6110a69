"""The sessions that are played. A row of the table is a scenario."""
import random
from dataclasses import dataclass, field, replace
from typing import Callable

import checks
import adversarial
import multi_agents
import agent_styles
import hook_agents
import tricks
import work
from agent import Agent
from mistakes import Clumsy


@dataclass
class Scenario:
    about: str
    work: Callable
    check: list                                   # of checks, beside those of every scenario
    agent: type = Agent
    mishaps: list = field(default_factory=list)   # (phase, ready_step, which time, what happens: see agent.Agent)
    user: dict = field(default_factory=dict)      # what the user has changed and not committed: {path: text}
    storm: int = 0                                # seed: the server dies at random instants
    axe: bool = False                             # it dies at every step that git takes: each change of a ref, each checkout
    trusts: bool = False                          # the user trusts the tests: the server runs them itself
    installs: str = ""                            # the client is set up by `code-intel install`: for the "project", the "user", or as a "plugin"
    settings: dict = field(default_factory=dict)  # what the project has of settings before: {client: {path: text}}
    modes: tuple = ()                             # of permission, of Claude Code: one for each process, the last for all others
    neighbour: bool = False                       # the client has another server, whose tools write
    worktree: bool = False                        # the project is a linked working tree
    lang: str = ""                                # of the project
    clients: tuple = ()                           # that play it; all, if it names none

    def disturb(self):
        """What the agent asks at each phase; see agent.Agent."""
        left, met = list(self.mishaps), {}

        def ask(answer):
            at = (answer.get("phase"), answer.get("ready_step", ""))
            met[at] = met.get(at, 0) + 1
            for kill in left:
                if kill[:3] == at + (met[at],):
                    left.remove(kill)
                    return kill[3]
            return None
        return ask

    def fuse(self):
        """After how many seconds a call is cut short by the server's death; None for most."""
        dice = random.Random(self.storm)
        return lambda: dice.uniform(0, 0.03) if dice.random() < 0.25 else None


TODO = {"README.md": "# Lending desk\n\nThe user is writing here.\n", "todo.txt": "order tea\n"}

SCENARIOS = {
    "full": Scenario("a change from document research to the merge", work.renewals, [checks.on_disk, checks.merged()]),
    "quick": Scenario("--quick: no branch, no commit", lambda: work.longer_loans(["--quick"]), [checks.on_disk, checks.left_in_tree]),
    "fast": Scenario("--fast: no exploration", lambda: work.longer_loans(["--fast"]), [checks.on_disk, checks.merged()]),
    "investigate": Scenario("a question; ends after the exploration", work.where_fees_come_from, [checks.untouched]),
    "killed": Scenario("the server is killed between two tasks, and before the commit", work.renewals, [checks.on_disk, checks.merged()],
                       mishaps=[("READY", "implement", 2, "before"), ("PRE_COMMIT", "", 1, "after")]),
    "japanese": Scenario("a request in Japanese", work.longer_loans_in_japanese, [checks.on_disk, checks.merged()]),
    "restarted": Scenario("the client is closed between two tasks and before the commit, and the session resumed by another", work.renewals,
                          [checks.on_disk, checks.merged()], mishaps=[("READY", "implement", 2, "leaves"), ("PRE_COMMIT", "", 1, "leaves")]),
    "compacted": Scenario("the client compacts the conversation while a task is open and before the review", work.renewals,
                          [checks.on_disk, checks.merged(), checks.compactions(2)],
                          mishaps=[("READY", "implement", 2, "compacts"), ("QUALITY_REVIEW", "", 1, "compacts")],
                          clients=("claude", "claude-old", "direct")),     # codex exec has no /compact
    "repair": Scenario("verification fails, then the review finds something; --gate=full; the user's tree is dirty",
                       lambda: work.days_of_grace(["--gate=full"]),
                       [checks.on_disk, checks.merged(commits=2, status=[" M README.md", "?? todo.txt"]), checks.user_files(TODO)], user=TODO),
    "trusted": Scenario("the server runs the tests itself, as the user trusts them", lambda: work.days_of_grace(["--gate=full"]),
                        [checks.on_disk, checks.merged(commits=2), checks.run_by_server], trusts=True),
    "terse": Scenario("the shortest payloads that are taken", work.renewals, [checks.on_disk, checks.merged()], agent=agent_styles.Terse),
    "wordy": Scenario("long payloads, as JSON in a string", work.renewals, [checks.on_disk, checks.merged()], agent=agent_styles.Wordy),
    "clumsy": Scenario("every wrong step first", work.renewals, [checks.on_disk, checks.merged()], agent=Clumsy),
}
CLAUDE, CODEX = ("claude", "claude-old"), ("codex", "codex-gpt-5.5", "codex-gpt-6.1-sol")


def installed(about, agent=hook_agents.Hooked, clients=CLAUDE + CODEX, check=(), **more):
    """A session of a client that `code-intel install` has set up, and nothing else."""
    return Scenario(**dict(dict(about=about, work=lambda: work.longer_loans(["--no-doc-research"]), agent=agent, installs="project", trusts=True, clients=clients,
                                check=[checks.on_disk, checks.merged(), checks.enforced("L3"), checks.typed, checks.run_by_server, *check]), **more))


SETTINGS = {"claude": {".claude/settings.json": '{"permissions":{"deny" : [ "Read(./.env)" ]},\n\t"hooks": {"Stop": [{"hooks":[{"type":"command","command":"true"}]}]}}',
                       ".mcp.json": '{\r\n    "mcpServers": {\r\n    }\r\n}\r\n'},
            "codex": {".codex/config.toml": "# of this project\n[tui]\nnotifications = false", ".codex/hooks.json": '{"hooks": {}}'}}
SCENARIOS.update({
    "install-project": installed("`install` for a project, nothing else: an edit, a new file and a shell's file are denied in exploration, the change is allowed "
                                 "then; `uninstall` leaves every byte"),
    "install-there": installed("the same, in a project that has settings of its own", settings=SETTINGS, clients=("claude", "codex")),
    "install-user": installed("the same, `install --scope user` in a fresh home", installs="user", clients=("claude", "claude-old", "codex")),
    "install-plugin": installed("the same, a plugin folder (`--plugin-dir`)", installs="plugin", clients=CLAUDE),
    "tricks": installed("installed: %d shell commands that change something are denied in exploration, %d in implementation; %d that read pass in both"
                        % (len(tricks.TRICKS), len(tricks.LATE), len(tricks.HARMLESS)), hook_agents.Trickster),
    "sub-agents": installed("installed: sub-agents are denied what the agent is, and what they read counts", multi_agents.Delegate, CLAUDE + ("codex",),
                            [checks.by_sub_agents]),
    "early-stop": installed("installed: the agent stops early, in two phases: sent back twice, then let go with a note; the user has it go on", hook_agents.Quitter,
                            check=[checks.let_go(2)]),
    "compact": installed("installed: `/compact` while a task is open; the hook tells phase, instruction and tasks again", check=[checks.compactions(1), checks.told_again("compacts")],
                         mishaps=[("READY", "implement", 1, "compacts")], clients=CLAUDE + ("codex",)),
    "full-context": installed("installed: the context is full while a task is open, and the client compacts automatically; the hook repeats the state", check=[checks.compactions(1), checks.told_again("swells")],
                              mishaps=[("READY", "implement", 1, "swells")]),
    "resume": installed("installed: the client is closed twice, and the conversation resumed, as the last one and by its id; the hook tells again",
                        check=[checks.told_again("returns", "returns by id")],
                        mishaps=[("Q1", "", 1, "returns"), ("READY", "implement", 1, "returns by id")]),
    "clear": installed("installed: `/clear` while a task is open; the hook tells again", check=[checks.told_again("clears")],
                       mishaps=[("READY", "implement", 1, "clears")], clients=CLAUDE),
    "install-killed": installed("installed: the server is killed in exploration and before the commit", clients=("claude", "codex"),
                                mishaps=[("EXPLORATION", "", 1, "after"), ("PRE_COMMIT", "", 1, "after")]),
    "two-clients": installed("installed: a second process of the client comes in, twice: it is told, may read, changes nothing, and is not held", multi_agents.Host, CLAUDE + ("codex",), [checks.guests_told]),
    "first-act": installed("installed: a write is the first act after `--continue`, after `--resume`, and after the server was killed: denied each time",
                           hook_agents.Hasty, mishaps=[("Q1", "", 1, "returns"), ("READY", "plan", 1, "returns by id")]),
    "bypass": installed("installed, permission mode `bypassPermissions`: the same is denied", clients=CLAUDE, modes=("bypassPermissions",)),
    "plan-mode": installed("installed: the user turns to `plan` mode, in which the client refuses all that moves the session, and back: it goes on",
                           hook_agents.Planner, clients=("claude",), modes=("default", "plan", "acceptEdits")),
    "worktree": installed("installed, in a linked working tree of git", clients=CLAUDE + ("codex",), worktree=True),
    "neighbour": installed("installed: another server's tool that writes is denied, one that reads is not; in Codex a terminal is denied, too",
                           hook_agents.Neighbour, neighbour=True),
    "lang-ja": installed("installed, `\"lang\": \"ja\"` and a Japanese request, compacted once: what the model is told is Japanese", lang="ja",
                         work=work.longer_loans_in_japanese, check=[checks.japanese, checks.compactions(1), checks.told_again("compacts")],
                         mishaps=[("READY", "implement", 1, "compacts")], clients=CLAUDE + ("codex",)),
    "typed-flags": installed("installed: the user types `/code` with flags; the agent asks for other flags, or another request, five times", hook_agents.Overeager,
                             work=lambda: work.longer_loans(["--no-doc-research", "--gate=full"])),
})
SCENARIOS["axe"] = replace(SCENARIOS["repair"], about="the same, and the server is killed at every step that git takes for it",
                           axe=True, clients=("direct",))
SCENARIOS.update({
    "storm-%d" % seed: Scenario("the server dies at random instants", work.renewals, [checks.on_disk, checks.merged()],
                                storm=seed, clients=("direct",)) for seed in (1, 2, 3)})

# Lies, each told by an agent that then goes the honest way, and by one that insists. The one that
# counts as a failure cannot be told again: the session has left the phase.
ONE_OF_EACH = ("claude", "codex", "direct")
for name, lie in adversarial.LIES.items():
    honest = SCENARIOS["trusted" if lie.then else "full"]
    SCENARIOS["lie-" + name] = replace(honest, about=lie.technique + "; then goes the honest way",
                                       agent=adversarial.liar(name, insists=False), clients=ONE_OF_EACH)
    if not lie.then:
        SCENARIOS["insist-" + name] = replace(honest, about=lie.technique + ", again and again", check=[checks.held],
                                              agent=adversarial.liar(name, insists=True), clients=ONE_OF_EACH)

EVERY = [checks.archive, checks.ledger, checks.proven]           # checks of every scenario
