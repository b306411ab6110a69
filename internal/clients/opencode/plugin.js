// Written by "code-intel install opencode", removed by "code-intel uninstall opencode".
// Asks code-intel before a tool runs, and tells it what has run. Where no session is
// led in the project, code-intel says nothing and nothing changes.
import { spawn } from "node:child_process";

const program = {{.Program}};

// ask reports an event, and returns what code-intel answers: {deny, context, note}.
function ask(directory, event, payload) {
  return new Promise((resolve) => {
    let out = "";
    const child = spawn(program, ["hook", "opencode", event], {
      cwd: directory,
      stdio: ["pipe", "pipe", "ignore"],
    });
    child.on("error", () => resolve({}));
    child.stdin.on("error", () => {});
    child.stdout.on("data", (chunk) => (out += chunk));
    child.on("close", () => {
      try {
        resolve(out === "" ? {} : JSON.parse(out));
      } catch {
        resolve({});
      }
    });
    child.stdin.end(
      JSON.stringify({ hook_event_name: event, cwd: directory, ...payload }),
    );
  });
}

export const CodeIntel = async ({ directory }) => {
  const inputs = new Map(); // arguments of calls that have begun
  return {
    "tool.execute.before": async (input, output) => {
      inputs.set(input.callID, output.args);
      const call = {
        session_id: input.sessionID,
        tool_use_id: input.callID,
        tool_name: input.tool,
        tool_input: output.args,
      };
      const answer = await ask(directory, "tool.execute.before", call);
      if (answer.deny) {
        inputs.delete(input.callID);
        throw new Error(answer.deny);
      }
    },
    "tool.execute.after": async (input, output) => {
      const args = inputs.get(input.callID) ?? input.args ?? {};
      inputs.delete(input.callID);
      const call = {
        session_id: input.sessionID,
        tool_use_id: input.callID,
        tool_name: input.tool,
        tool_input: args,
      };
      const answer = await ask(directory, "tool.execute.after", {
        ...call,
        tool_response: { output: output.output ?? "" },
      });
      if (answer.context) {
        output.output = `${output.output ?? ""}\n\n${answer.context}`;
      }
    },
    "chat.message": async (input, output) => {
      const text = output.parts
        .filter((part) => part.type === "text")
        .map((part) => part.text);
      await ask(directory, "chat.message", {
        session_id: input.sessionID,
        prompt: text.join("\n"),
      });
    },
    event: async ({ event }) => {
      if (event.type === "session.compacted" || event.type === "session.idle") {
        await ask(directory, event.type, {
          session_id: event.properties.sessionID,
        });
      }
    },
  };
};
