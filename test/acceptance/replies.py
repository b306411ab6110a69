"""What came back from a tool, read as a model reads it: from the text it is shown.

Clients show an answer's structured content, its text, or both wrapped in JSON of
their own, with lines before and after. A refusal has error, message and legal_next.
"""
import ast
import json
import re


class Reply:
    """answer: the JSON object; refused: it says no; lost: nothing of the server's came back."""

    def __init__(self, text, is_error=False):
        self.text = text
        self.answer, is_error = found(text, is_error)
        if self.answer is None and is_error:
            self.answer = refusal_in_words(text)
        self.refused = bool(self.answer) and "error" in self.answer and "legal_next" in self.answer
        self.lost = self.answer is None

    @property
    def code(self):
        return self.answer["error"] if self.refused else ""

    def steps(self):
        """The calls that a refusal names, as (tool, arguments)."""
        return [call for line in self.answer.get("legal_next", []) for call in calls_in(line)]

    def __str__(self):
        if self.refused:
            return "%s: %s Next: %s" % (self.code, self.answer["message"], " | ".join(self.answer["legal_next"]))
        return self.text[:1000]


def found(text, is_error):
    """The first JSON object that begins a line, out of the wrapping of Codex's code mode."""
    for start in (m.start() for m in re.finditer(r"^\{", text, re.M)):
        try:
            value, _ = json.JSONDecoder().raw_decode(text[start:])
        except ValueError:
            continue
        if isinstance(value.get("content"), list):
            is_error = is_error or bool(value.get("isError"))
            inner = "\n".join(c.get("text", "") for c in value["content"])
            if "structuredContent" in value:
                return value["structuredContent"], is_error
            return found(inner, is_error)
        return value, is_error
    return None, is_error


def refusal_in_words(text):
    """A refusal from its text form, for clients that show nothing else."""
    head = re.search(r"^([a-z][a-z_]+): (.*)$", text, re.M)
    steps = re.findall(r"^next: (.*)$", text, re.M)
    return {"error": head[1], "message": head[2], "legal_next": steps} if head and steps else None


# The tools that a refusal may send one to.
TOOLS = """semantic_search search_text search_files find_definitions find_references get_symbols get_function_at_line
    analyze_structure fetch_chunk_detail analyze_impact sync_index start_session get_session_status check_write_target
    add_explored_files review_changes update_context""".split()

CALL = re.compile(r"\b(%s)\b(\(|,? with \{)?" % "|".join(TOOLS))


def calls_in(line):
    """Tool calls that a line names: name(key=value, ...), name with {...}, or the name alone.
    A call whose arguments are no values ("…") is a form to fill in, and left out."""
    calls = []
    for m in CALL.finditer(line):
        arguments = {}
        if m[2] == "(":
            arguments = keywords(line[m.end() - 1:])
        elif m[2]:
            try:
                arguments, _ = json.JSONDecoder().raw_decode(line[m.end() - 1:])
            except ValueError:
                arguments = None
        if arguments is not None:
            calls.append((m[1], arguments))
    return calls


def keywords(text):
    """The arguments of "(a=1, b=["x"])", or None if they are no values."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if depth == 0:
            text = text[:i + 1]
            break
    text = re.sub(r"\btrue\b", "True", re.sub(r"\bfalse\b", "False", text))
    try:
        call = ast.parse("f" + text, mode="eval").body
        if call.args:
            return None
        return {k.arg: ast.literal_eval(k.value) for k in call.keywords}
    except (SyntaxError, ValueError):
        return None


def places(value, file=None):
    """Every place in the code that an answer shows, as (file, line, the object that says so)."""
    if isinstance(value, list):
        for v in value:
            yield from places(v, file)
    elif isinstance(value, dict):
        file = value.get("file") or file
        line = value.get("line") or value.get("start_line")
        if isinstance(file, str) and isinstance(line, int):
            yield file, line, value
        for v in value.values():
            if isinstance(v, (list, dict)):
                yield from places(v, file)
