#!/usr/bin/env python3
"""neighbour.py   An MCP server of somebody else: one tool that writes, and one that reads."""
import json
import os
import sys

TEXT = {"type": "string"}
TOOLS = [
    {"name": "rename_note", "description": "Writes a note.",
     "inputSchema": {"type": "object", "properties": {"path": TEXT, "text": TEXT}, "required": ["path", "text"]}},
    {"name": "list_notes", "description": "Lists the notes.", "annotations": {"readOnlyHint": True},
     "inputSchema": {"type": "object", "properties": {}}},
]


def call(name, arguments):
    if name == "list_notes":
        return " ".join(sorted(os.listdir("lending")))
    with open(arguments["path"], "w") as f:
        f.write(arguments["text"])
    return "written"


def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "notes", "version": "1"}}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": call(params["name"], params.get("arguments") or {})}]}
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer(message["method"], message.get("params") or {})}), flush=True)
