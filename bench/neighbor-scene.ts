// The scene of the hostile neighbours: a served program, a model server that answers at once or holds, a victim and a hostile user.
// Invariant: the program is the one that people run; what the attacks need is stored before it starts.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createHost } from "../src/runtime/compose/compose.ts";
import { packageRoot } from "../src/base/package-root.ts";

export interface NeighborScene extends HostileScene {
  /** The process of the program. */
  readonly pid: number;
  readonly victim: string;
  /** Ends the answers that the model server holds, and so their turns. */
  release(): void;
  close(): Promise<void>;
}

/** What an attack needs, as a message to another process can hold it. */
export interface HostileScene {
  readonly url: string;
  readonly hostile: string;
  /** Ids of the hostile user. */
  readonly places: HostilePlaces;
}

export interface HostilePlaces {
  readonly agent: string;
  readonly conversations: readonly string[];
  /** A conversation in which only the streams have a turn. */
  readonly streamed: string;
}

/** Words in a message that the model server knows. */
export const holdWord = "HOLD";
export const grepWord = "GREP";
/** Takes exponential time in a matcher that tries all ways. */
const evilPattern = `${"(a?)".repeat(200)}${"a".repeat(200)}b`;

export const hostileAgents = 1000;
const heldTurns = 250;

export async function openScene(): Promise<NeighborScene> {
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-neighbors-"));
  const model = await startModel();
  const settings = { model: "openai/bench", baseUrl: model.url };
  const { victim, hostile, places } = await prepare(folder, settings);
  const program = await startProgram(folder, settings);
  return {
    ...program,
    victim,
    hostile,
    places,
    release: model.release,
    async close() {
      const ended = once(program.child, "exit");
      program.child.kill("SIGKILL");
      await ended;
      model.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
    },
  };
}

interface ModelSettings {
  readonly model: string;
  readonly baseUrl: string;
}

async function prepare(dataDir: string, settings: ModelSettings) {
  const host = await createHost({ dataDir, ...settings, openaiApiKey: "none", embedder: null, timeZone: "UTC" });
  try {
    const { secret: victim } = await host.keys.create("victim", { scope: "admin" });
    const { secret: hostile } = await host.keys.create("hostile", { scope: "admin" });
    await host.forUser("victim").agents.create({ name: "main", persona: "I am kind.", human: "Name: Ada" });
    const { agents, conversations, sources } = host.forUser("hostile");
    const { id: agent } = await agents.create({ name: "main", persona: "", human: "" });
    for (let number = 1; number < hostileAgents; number += 1)
      await agents.create({ name: `agent-${number}`, persona: "", human: "" });
    await sources.load("files", [{ name: "a.txt", data: `${"a".repeat(250)}\n`.repeat(200) }]);
    await sources.attach("main", "files");
    const ids: string[] = [];
    for (let number = 0; number < heldTurns; number += 1) ids.push((await conversations.create("main")).id);
    const { id: streamed } = await conversations.create("main");
    return { victim, hostile, places: { agent, conversations: ids, streamed } };
  } finally {
    await host.close();
  }
}

async function startProgram(dataDir: string, { model, baseUrl }: ModelSettings) {
  const program = path.join(packageRoot(), "dist", "program", "palimpsest.js");
  const flags = ["--data-dir", dataDir, "--model", model, "--base-url", baseUrl, "--embedding", "none"];
  // The limits of requests in a minute would end most attacks at once: they are measured without it.
  const more = ["--port", "0", "--quiet", "--requests-per-minute", "1000000"];
  const child = spawn(process.execPath, [program, "serve", ...flags, ...more], {
    env: { PATH: process.env["PATH"], HOME: dataDir, OPENAI_API_KEY: "none" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await addressOf(child);
  return { child, url, pid: child.pid! };
}

async function addressOf(child: ChildProcess): Promise<string> {
  let text = "";
  for await (const chunk of child.stdout!) {
    text += String(chunk);
    const [, url] = /Serving (http:\S+)\n/u.exec(text) ?? [];
    if (url === undefined) continue;
    child.stdout!.resume();
    return url;
  }
  throw new Error(`The program ended: ${text}`);
}

interface RunningModel {
  readonly url: string;
  release(): void;
  close(): void;
}

/** Speaks Chat Completions: answers at once, holds its answer for `HOLD`, or calls `grep_files` once for `GREP`. */
async function startModel(): Promise<RunningModel> {
  const held = new Set<() => void>();
  const server = createServer((request, response) => {
    // It states nothing of its models.
    if (request.method === "GET") return void response.writeHead(404).end();
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => answer(Buffer.concat(chunks).toString(), response, held));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    release() {
      for (const end of held) end();
      held.clear();
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answer(body: string, response: ServerResponse, held: Set<() => void>): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta: object, finish: string | null = null): void => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    response.write(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", choices })}\n\n`);
  };
  const end = (finish: string): void => {
    send({}, finish);
    response.end("data: [DONE]\n\n");
  };
  const { messages } = JSON.parse(body) as { readonly messages: readonly { role: string; content?: unknown }[] };
  const asked = JSON.stringify(messages.findLast(({ role }) => role === "user")?.content ?? "");
  if (asked.includes(grepWord) && messages.at(-1)?.role !== "tool") {
    const call = { name: "grep_files", arguments: JSON.stringify({ pattern: evilPattern }) };
    send({ tool_calls: [{ index: 0, id: "call_1", type: "function", function: call }] });
    end("tool_calls");
    return;
  }
  send({ content: "Well." });
  if (asked.includes(holdWord)) held.add(() => end("stop"));
  else end("stop");
}
