// A client made with the official TypeScript SDK, in either of its generations, that does
// with our server what a client can do, and holds every answer against its schema.
//
//   node conformance_client.mjs PLAN.json
//
// The plan says which packages, which transport and which calls; conformance.py writes it.
// Prints a report: which steps were done, and what was wrong in each.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const plan = JSON.parse(readFileSync(process.argv[2]));
const from = (folder) => {
  const require = createRequire(folder + "/package.json");
  return (name) => import(pathToFileURL(require.resolve(name)).href);
};
const load = from(plan.packages);
const { default: Ajv } = await load("ajv/dist/2020.js");

// What differs between the generations.
async function generation1() {
  const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
  const stdio = await load("@modelcontextprotocol/sdk/client/stdio.js");
  const http = await load("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const types = await load("@modelcontextprotocol/sdk/types.js");
  const client = new Client(plan.client, { capabilities: { elicitation: { form: {} } } });
  return {
    client,
    transports: { ...stdio, ...http },
    onElicit: (f) => client.setRequestHandler(types.ElicitRequestSchema, f),
    onUpdate: (f) => client.setNotificationHandler(types.ResourceUpdatedNotificationSchema, f),
    call: (params, options) => client.callTool(params, undefined, options),
    subscribe: (uri) => client.subscribeResource({ uri }),
  };
}

async function generation2() {
  const { Client, ...http } = await load("@modelcontextprotocol/client");
  const stdio = await load("@modelcontextprotocol/client/stdio");
  const client = new Client(plan.client, {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: { pin: plan.revision } },
  });
  return {
    client,
    transports: { ...stdio, ...http },
    onElicit: (f) => client.setRequestHandler("elicitation/create", f),
    onUpdate: (f) => client.setNotificationHandler("notifications/resources/updated", f),
    call: (params, options) => client.callTool(params, options),
    subscribe: (uri) => client.listen({ resourceSubscriptions: [uri] }),
  };
}

const sdk = await (plan.generation === 1 ? generation1() : generation2());
const { client } = sdk;
const steps = [];
const report = { steps, validated: 0, tools: 0 };

async function step(name, f) {
  try {
    await f();
    steps.push({ name });
  } catch (e) {
    steps.push({ name, wrong: e.message.slice(0, 2000) });
  }
}

function must(good, what) {
  if (!good) throw new Error(typeof what === "string" ? what : JSON.stringify(what));
}

async function errorOf(promise) {
  try {
    await promise;
  } catch (e) {
    return e;
  }
  throw new Error("it was not refused");
}

let asked = 0;
const updates = [];
const schemas = new Map();
const called = new Set();
const answers = {};

// One call, its answer held against the schema of the tool.
async function call(name, args, options) {
  const result = await sdk.call({ name, arguments: args }, options);
  called.add(name);
  must(result.content?.[0]?.type === "text" && result.content[0].text.trim(), `${name} says nothing in words`);
  must(result.structuredContent && typeof result.structuredContent === "object", `${name} has no structured content`);
  const { output } = schemas.get(name);
  must(output(result.structuredContent), `${name}: ${JSON.stringify(output.errors)} in ${JSON.stringify(result.structuredContent)}`);
  report.validated++;
  return result;
}

// "$tool.path.to.value" is what an earlier answer said.
function filled(value) {
  if (typeof value === "string" && value.startsWith("$")) {
    return value.slice(1).split(".").reduce((v, key) => v[key], answers);
  }
  if (value && typeof value === "object") {
    return Array.isArray(value) ? value.map(filled) : Object.fromEntries(Object.entries(value).map(([k, v]) => [k, filled(v)]));
  }
  return value;
}

sdk.onElicit(() => {
  asked++;
  return { action: "accept", content: { decision: "continue", guidance: "leave it" } };
});
sdk.onUpdate((n) => { updates.push(n.params.uri); });

const transport = plan.url
  ? new sdk.transports.StreamableHTTPClientTransport(new URL(plan.url), { requestInit: { headers: { Authorization: "Bearer " + plan.token } } })
  : new sdk.transports.StdioClientTransport({ command: plan.command[0], args: plan.command.slice(1), cwd: plan.project, env: process.env, stderr: "ignore" });

await step("initialise", async () => {
  await client.connect(transport);
  const revision = plan.generation === 1 ? transport.protocolVersion ?? client.getNegotiatedProtocolVersion?.() : client.getNegotiatedProtocolVersion();
  must(revision === undefined || revision === plan.revision, `speaks ${revision}`);
  report.revision = revision ?? plan.revision;
  const text = client.getInstructions();
  must(text && new TextEncoder().encode(text).length <= 2048, "the instructions are missing or longer than 2 KB");
  must(client.getServerVersion()?.name === "code-intel", client.getServerVersion());
});

await step("tools/list, every schema compiled", async () => {
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true });
  let cursor;
  do {
    const page = await client.listTools(cursor ? { cursor } : undefined);
    for (const t of page.tools) {
      must(t.title && t.description && t.annotations?.openWorldHint !== undefined, `${t.name} has no title, description or hints`);
      schemas.set(t.name, { input: ajv.compile(t.inputSchema), output: ajv.compile(t.outputSchema) });
    }
    cursor = page.nextCursor;
  } while (cursor);
  report.tools = schemas.size;
  must(![...schemas.keys()].some((n) => n.startsWith("test_")), "fixtures of the conformance suite are in the list");
});

await step("progress and cancel: sync_index stops in the middle", async () => {
  const stop = new AbortController();
  let heard = 0;
  const e = await errorOf(call("sync_index", { force: true }, { signal: stop.signal, onprogress: () => { heard++; stop.abort(); }, timeout: 120000 }));
  must(heard > 0, "no progress was reported: " + e.message);
  const seen = [];
  const r = await call("sync_index", {}, { onprogress: (p) => { seen.push(p.progress); }, timeout: 300000 });
  const { added, files } = r.structuredContent;
  must(added >= files / 2, `${files - added} of ${files} files were read in spite of the cancellation`);
  must(seen.length > 0 && seen.every((p, i) => i === 0 || p > seen[i - 1]), `progress: ${seen}`);
});

await step("a subscription hears that the session moves, and a person is asked", async () => {
  await sdk.subscribe("code-intel://session");
  await call("start_session", { intent: "MODIFY", query: "say goodbye", flags: ["--no-doc-research"] });
  for (let i = 0; i < 100 && updates.length === 0; i++) await new Promise((r) => setTimeout(r, 50));
  must(updates.includes("code-intel://session"), `updates: ${updates}`);
  const r = await call("submit_phase", { data: { choice: "delete", summary: "the user said delete" } });
  must(asked === 1 && !r.isError && r.structuredContent.overridden, `asked ${asked} times: ${JSON.stringify(r.structuredContent)}`);
});

for (const c of plan.calls) {
  await step(`${c.tool} ${JSON.stringify(c.args)}`, async () => {
    const args = filled(c.args);
    const { input } = schemas.get(c.tool) ?? {};
    must(input, "is not in the list");
    if (!c.refused) must(input(args), `the call is not as its schema says: ${JSON.stringify(input.errors)}`);
    const r = await call(c.tool, args);
    must(Boolean(r.isError) === Boolean(c.refused), r.structuredContent);
    if (c.refused) {
      const { error, message, legal_next } = r.structuredContent;
      must(error === c.refused && legal_next.length > 0 && r.content[0].text.includes(message), r.structuredContent);
    }
    answers[c.as ?? c.tool] = r.structuredContent;
  });
}

await step("every tool was called", () => {
  const rest = [...schemas.keys()].filter((n) => !called.has(n));
  must(rest.length === 0, `not called: ${rest}`);
});

await step("resources: listed, read, refused", async () => {
  const { resources } = await client.listResources();
  must(resources.some((r) => r.uri === "code-intel://session") && resources.some((r) => r.uri.startsWith("code-intel://pipeline/")), resources);
  for (const { uri } of resources) {
    const { contents } = await client.readResource({ uri });
    must(contents[0].uri === uri && JSON.parse(contents[0].text), contents);
  }
  const { resourceTemplates } = await client.listResourceTemplates();
  must(resourceTemplates.length === 3, resourceTemplates);
  const { contents } = await client.readResource({ uri: "code-intel://file-outline/" + plan.file });
  must(JSON.parse(contents[0].text).symbols.length > 0, contents);
  for (const uri of ["code-intel://file-outline/none.go", "code-intel://file-outline/..%2F..%2Fetc%2Fpasswd", "code-intel://pipeline/none", "code-intel://report/none", "code-intel://nothing"]) {
    const e = await errorOf(client.readResource({ uri }));
    must(e.code === -32602 && e.data?.uri === uri, `${uri}: ${e.code} ${e.message} ${JSON.stringify(e.data)}`);
  }
});

await step("prompts: listed, got, refused", async () => {
  const { prompts } = await client.listPrompts();
  must(prompts.map((p) => p.name).sort().join() === "code,forge,outcome", prompts);
  for (const p of prompts) {
    const { messages } = await client.getPrompt({ name: p.name, arguments: { [p.arguments[0].name]: "as it was typed" } });
    must(messages[0].content.text.includes("as it was typed"), messages);
  }
  const e = await errorOf(client.getPrompt({ name: "code", arguments: {} }));
  must(e.code === -32602, `${e.code} ${e.message}`);
});

await step("completion of a path", async () => {
  const { completion } = await client.complete({ ref: { type: "ref/resource", uri: "code-intel://file-outline/{+path}" }, argument: { name: "path", value: plan.file.slice(0, -2) } });
  must(completion.values.includes(plan.file), completion);
});

await step("close", () => client.close());
console.log(JSON.stringify(report));
process.exit(0);
