// Counts the project's own files and functions that run during one `send`: npm run path:send, or `-- --edit` for a core memory
// edit, `-- --served` for a message to Letta's API over HTTP. A local server with OpenAI's API answers. `--list` prints each file
// with its functions; `--max-files N` exits with 1 above N files.
// Invariant: only functions that run between the message and the end of its turn count, not start-up.
import { createServer } from "node:http";
import { Session } from "node:inspector/promises";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    edit: { type: "boolean" },
    served: { type: "boolean" },
    list: { type: "boolean" },
    "max-files": { type: "string" },
  },
});
const root = fileURLToPath(new URL("../dist/", import.meta.url));
const { createHost, createRuntime } = await import(join(root, "src/exports/index.js"));

const server = await startServer(values.edit === true);
const dataDir = mkdtempSync(join(tmpdir(), "palimpsest-path-"));
const options = {
  dataDir,
  model: "openai/scripted",
  baseUrl: `http://127.0.0.1:${server.address().port}/v1`,
  openaiApiKey: "none",
  embedding: "none",
};
const { send, settle, close } = await (values.served === true ? overHttp(options) : inProgram(options));
try {
  // The first turn loads modules, opens connections and writes the snapshot of core memory; the second derives the tools'
  // schemas for the memory that was read with it. The third is measured, because all later turns are like it.
  await send("Hello.");
  await send("Are you there?");
  await settle();
  report(await functionsDuring(() => send("I live in Lisbon.")));
} finally {
  await close();
  server.close();
  rmSync(dataDir, { recursive: true, force: true });
}

async function inProgram(options) {
  const runtime = await createRuntime(options);
  const agent = await runtime.agents.open("path", { create: {} });
  return { send: (text) => drain(agent.send(text)), settle: () => runtime.idle(), close: () => runtime.close() };
}

async function overHttp(options) {
  const { serve } = await import(join(root, "src/surfaces/http/serve.js"));
  const host = await createHost(options);
  const { secret } = await host.keys.create("ada", { scope: "admin" });
  const served = await serve({
    host,
    verify: (given) => host.keys.verify(given),
    version: "0.0.0",
    hostname: "127.0.0.1",
    port: 0,
    onFailure: (_id, error) => process.stderr.write(`${String(error)}\n`),
  });
  const ask = async (path, body) => {
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const answer = await fetch(`${served.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
  const { id } = await ask("/v1/agents/", { name: "path" });
  return {
    send: (text) => ask(`/v1/agents/${id}/messages`, { messages: [{ role: "user", content: text }] }),
    settle: () => host.forUser("ada").idle(),
    close: async () => {
      await served.close();
      await host.close();
    },
  };
}

async function drain(events) {
  for await (const event of events) if (event.type === "turn-end" && event.error) throw new Error(event.error.message);
}

async function functionsDuring(work) {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await session.post("Profiler.takePreciseCoverage");
  await work();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  return result
    .filter(({ url }) => url.startsWith("file:") && fileURLToPath(url).startsWith(root))
    .map(({ url, functions }) => ({
      file: relative(root, fileURLToPath(url)),
      names: functions
        .filter(({ ranges }) => ranges[0].count > 0)
        .map(({ functionName }) => functionName || "(anonymous)"),
    }))
    .filter(({ names }) => names.length > 0)
    .sort((one, other) => one.file.localeCompare(other.file));
}

function report(files) {
  const functions = files.reduce((sum, { names }) => sum + names.length, 0);
  if (values.list) for (const { file, names } of files) process.stdout.write(`${file}: ${names.join(", ")}\n`);
  process.stdout.write(
    `${values.served ? "a message to /v1" : values.edit ? "a send with a core memory edit" : "a plain send"}: ${files.length} files, ${functions} functions\n`,
  );
  if (values["max-files"] !== undefined && files.length > Number(values["max-files"])) {
    process.stderr.write(`Expected at most ${values["max-files"]} files, got ${files.length}.\n`);
    process.exitCode = 1;
  }
}

/** Answers with text; with `--edit`, the first answer to each user message calls `core_memory_append`. */
function startServer(withEdit) {
  const listening = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      const isResult =
        body === "" ? false : JSON.parse(body).messages?.findLast(({ role }) => role !== "system")?.role === "tool";
      const delta = withEdit && !isResult ? callOfAppend() : { role: "assistant", content: "Noted." };
      const finish = delta.tool_calls ? "tool_calls" : "stop";
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const choice of [
        { index: 0, delta },
        { index: 0, delta: {}, finish_reason: finish },
      ])
        response.write(
          `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", model: "scripted", choices: [choice] })}\n\n`,
        );
      // As OpenAI's server does, when it is asked for the usage.
      const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
      const last = { id: "1", object: "chat.completion.chunk", model: "scripted", choices: [], usage };
      response.end(`data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`);
    });
  });
  return new Promise((resolve) => listening.listen(0, "127.0.0.1", () => resolve(listening)));
}

function callOfAppend() {
  const append = {
    name: "core_memory_append",
    arguments: JSON.stringify({ name: "human", content: "Lives in Lisbon." }),
  };
  return {
    role: "assistant",
    tool_calls: [{ index: 0, id: `call_${Date.now()}`, type: "function", function: append }],
  };
}
