"""The two protocols in which clients talk to a model.

    anthropic   POST /v1/messages     Claude Code
    openai      POST /v1/responses    Codex

read_*() makes a request into one form for both:

    {"api", "model", "system", "messages": [{"role", "parts"}], "tools": [{"name", ...}], "new_results"}

where new_results are the tool results that came after the last thing the model
said. write_*() makes a step of a script into a stream of events. A step is
{"text": "..."}, which ends the turn, or {"tool": name, "input": arguments}; with "tokens", how
many the request had. {"error": message} refuses the request.
"""
import json
import time
import uuid


# ------------------------------------------------------------------ requests

def flat(content):
    """The text of a content value, whatever its form."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    parts = []
    for block in content:
        kind = block.get("type") if isinstance(block, dict) else None
        if isinstance(block, str):
            parts.append(block)
        elif kind in ("text", "input_text", "output_text"):
            parts.append(block.get("text", ""))
        elif "content" in block:
            parts.append(flat(block["content"]))
        else:
            parts.append("[%s]" % (block.get("tool_name") or kind))
    return "\n".join(parts)


def read_anthropic(body):
    messages, results = [], []
    raw = body.get("messages", [])
    said = max((i for i, m in enumerate(raw) if m["role"] == "assistant"), default=-1)
    for i, m in enumerate(raw):
        content = m["content"] if isinstance(m["content"], list) else [{"type": "text", "text": m["content"]}]
        parts = []
        for b in content:
            if b["type"] == "tool_use":
                parts.append({"type": "tool_use", "id": b["id"], "name": b["name"], "input": b["input"], "text": ""})
            elif b["type"] == "tool_result":
                part = {"type": "tool_result", "id": b["tool_use_id"], "text": flat(b.get("content")),
                        "is_error": bool(b.get("is_error"))}
                parts.append(part)
                if i > said:
                    results.append(part)
            else:
                parts.append({"type": b["type"], "text": flat([b])})
        messages.append({"role": m["role"], "parts": parts})
    tools = [{"name": t["name"]} for t in body.get("tools") or []]
    return {"api": "anthropic", "model": body.get("model"), "system": flat(body.get("system")),
            "messages": messages, "tools": tools, "new_results": results}


CALLS = ("function_call", "custom_tool_call", "tool_search_call")
RESULTS = ("function_call_output", "custom_tool_call_output", "tool_search_output")


def read_openai(body):
    messages, results = [], []
    raw = body.get("input", [])
    said = max((i for i, it in enumerate(raw) if it.get("type") in CALLS or it.get("role") == "assistant"), default=-1)
    for i, it in enumerate(raw):
        kind = it.get("type", "message")
        if kind == "message":
            content = it["content"] if isinstance(it.get("content"), list) else [it.get("content") or ""]
            messages.append({"role": it.get("role"), "parts": [{"type": "text", "text": flat([b])} for b in content]})
        elif kind in CALLS:
            name = ".".join(filter(None, (it.get("namespace"), it.get("name", kind))))
            messages.append({"role": "assistant", "parts": [
                {"type": "tool_use", "id": it.get("call_id"), "name": name,
                 "input": it.get("arguments", it.get("input")), "text": ""}]})
        elif kind in RESULTS:
            out = it.get("output", it.get("tools"))
            if kind == "tool_search_output":
                out = json.dumps(out)
            elif isinstance(out, dict):
                out = out.get("content") or out.get("body") or json.dumps(out)
            part = {"type": "tool_result", "id": it.get("call_id"), "text": flat(out), "is_error": False}
            messages.append({"role": "tool", "parts": [part]})
            if i > said:
                results.append(part)
    tools = []

    def add(offered):
        for t in offered or []:
            if t.get("type") == "namespace":
                for f in t.get("tools", []):
                    tools.append({"name": "%s.%s" % (t["name"], f.get("name")), "type": f.get("type"), "namespace": t["name"]})
            else:
                tools.append({"name": t.get("name") or t.get("type"), "type": t.get("type")})
    add(body.get("tools"))
    for it in raw:                                   # what a search for tools has loaded since
        if it.get("type") in ("tool_search_output", "additional_tools"):
            add(it.get("tools"))
    return {"api": "openai", "model": body.get("model"), "system": body.get("instructions") or "",
            "messages": messages, "tools": tools, "new_results": results}


# ------------------------------------------------------------------- answers

def new_id(prefix):
    return prefix + uuid.uuid4().hex[:24]


def pieces(text, size=400):
    return [text[i:i + size] for i in range(0, len(text), size)]


def write_anthropic(step, request):
    """Returns the whole message, and the events that stream it."""
    if "tool" in step:
        block = {"type": "tool_use", "id": new_id("toolu_"), "name": step["tool"], "input": step.get("input", {})}
        empty, stop = dict(block, input={}), "tool_use"
        deltas = [{"type": "input_json_delta", "partial_json": p} for p in pieces(json.dumps(block["input"]))]
    else:
        block = {"type": "text", "text": step["text"]}
        empty, stop = dict(block, text=""), "end_turn"
        deltas = [{"type": "text_delta", "text": p} for p in pieces(block["text"])]
    usage = {"input_tokens": 1000, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 50}
    whole = {"id": new_id("msg_"), "type": "message", "role": "assistant", "model": request["model"],
             "content": [block], "stop_reason": stop, "stop_sequence": None, "usage": usage}
    events = [("message_start", {"message": dict(whole, content=[], stop_reason=None)}),
              ("content_block_start", {"index": 0, "content_block": empty})]
    events += [("content_block_delta", {"index": 0, "delta": d}) for d in deltas]
    events += [("content_block_stop", {"index": 0}),
               ("message_delta", {"delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage}),
               ("message_stop", {})]
    return whole, events


def write_openai(step, request):
    """Returns the whole response, and the events that stream it."""
    if "tool" in step:
        item = openai_call(step, next((t for t in request["tools"] if t["name"] == step["tool"]), {}))
    else:
        item = {"type": "message", "id": new_id("msg_"), "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": step["text"], "annotations": []}]}
    whole = {"id": new_id("resp_"), "object": "response", "created_at": int(time.time()), "model": request["model"],
             "status": "completed", "error": None, "incomplete_details": None, "output": [item], "parallel_tool_calls": True,
             "usage": {"input_tokens": step.get("tokens", 1000), "input_tokens_details": {"cached_tokens": 0},
                       "output_tokens": 50, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": step.get("tokens", 1000) + 50}}
    head = dict(whole, status="in_progress", output=[], usage=None)
    at = {"output_index": 0}
    events = [("response.created", {"response": head}), ("response.in_progress", {"response": head})]
    if item["type"] == "message":
        at_part = dict(at, item_id=item["id"], content_index=0)
        events += [("response.output_item.added", dict(at, item=dict(item, status="in_progress", content=[]))),
                   ("response.content_part.added", dict(at_part, part={"type": "output_text", "text": "", "annotations": []}))]
        events += [("response.output_text.delta", dict(at_part, delta=p)) for p in pieces(step["text"])]
        events += [("response.output_text.done", dict(at_part, text=step["text"]))]
    else:
        events += [("response.output_item.added", dict(at, item=dict(item, status="in_progress")))]
        if item["type"] == "function_call":
            at_item = dict(at, item_id=item["id"])
            events += [("response.function_call_arguments.delta", dict(at_item, delta=item["arguments"])),
                       ("response.function_call_arguments.done", dict(at_item, arguments=item["arguments"]))]
    events += [("response.output_item.done", dict(at, item=item)), ("response.completed", {"response": whole})]
    return whole, [(name, dict(data, sequence_number=i)) for i, (name, data) in enumerate(events)]


def openai_call(step, tool):
    name, arguments = step["tool"], step.get("input", {})
    if name == "tool_search":
        return {"type": "tool_search_call", "id": new_id("tsc_"), "call_id": new_id("call_"), "execution": "client",
                "arguments": arguments, "status": "completed"}
    item = {"call_id": new_id("call_"), "name": name, "status": "completed"}
    if tool.get("namespace"):
        item.update(namespace=tool["namespace"], name=name[len(tool["namespace"]) + 1:])
    if tool.get("type") == "custom":                 # takes plain text, not JSON
        return dict(item, type="custom_tool_call", id=new_id("ctc_"), input=arguments)
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments)
    return dict(item, type="function_call", id=new_id("fc_"), arguments=arguments)
