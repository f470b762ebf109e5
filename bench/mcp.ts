// Measures how soon a program that is started as an MCP server answers its first call, beside the smallest server of the SDK and the
// engine's own start.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { packageRoot } from "../src/base/package-root.ts";
import { createRuntime } from "../src/runtime/compose/compose.ts";
import { quantile, type Row, rowOf } from "./measure.ts";

const program = path.join(packageRoot(), "dist", "program", "palimpsest.js");
const child = fileURLToPath(new URL("mcp-child.js", import.meta.url));
const rounds = 9;
/** Milliseconds before each start: the engine of an earlier one runs on, and optimizes what it ran. */
const restMs = 2_000;
/** Of the time of the bare server; the engine's own start comes on top. */
const maxRatio = 1.5;

/** What a client sends at first: both requests are on their way before the server has started. */
const firstLines = [
  {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1.0.0" } },
  },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/call", params: { name: "list_agents", arguments: {} } },
].map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

export async function benchMcp(): Promise<{ readonly rows: readonly Row[]; readonly broken: readonly string[] }> {
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-bench-"));
  const runtime = await createRuntime({ dataDir: path.join(folder, "data"), embedder: null });
  await runtime.agents.create({ name: "main", persona: "", human: "" });
  await runtime.close();
  const bare: number[] = [];
  const engine: number[] = [];
  const ours: number[] = [];
  const attached: number[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      // A copy for each start: an engine that was started for a client runs on for a while after it.
      const [one, other] = ["one", "other"].map((name) => copyOf(folder, `${name}-${round}`)) as [string, string];
      bare.push(await firstAnswer([child, "server"]));
      engine.push(await engineStart(path.join(one, "data", "pgdata")));
      ours.push(await firstAnswer([program, "mcp", "--data-dir", path.join(other, "data")]));
      // As when a chat is open: its engine answers.
      const open = await createRuntime({ dataDir: path.join(other, "data"), embedder: null });
      attached.push(await firstAnswer([program, "mcp", "--data-dir", path.join(other, "data")]));
      await open.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const median = (times: readonly number[]): number => quantile(times, 0.5);
  const ratio = median(ours) / (maxRatio * median(bare) + median(engine));
  return {
    rows: [
      rowOf("a bare server of the SDK", bare),
      rowOf("the engine's own start", engine),
      rowOf("palimpsest mcp", ours, { ratio, note: "over 1.5 times the bare server and the engine's start" }),
      rowOf("palimpsest mcp, beside an open chat", attached, { ratio: median(attached) / median(bare) }),
    ],
    broken: ratio > 1 ? [`the first answer took ${ratio.toFixed(2)} of what it may take`] : [],
  };
}

/** Copies the data folder. */
function copyOf(folder: string, name: string): string {
  const copy = path.join(folder, name);
  cpSync(path.join(folder, "data"), path.join(copy, "data"), { recursive: true });
  return copy;
}

/** Milliseconds from the start of the process to the answer of the first call. */
async function firstAnswer(args: readonly string[]): Promise<number> {
  await pause(restMs);
  const began = performance.now();
  const server = spawn(process.execPath, args);
  for (const line of firstLines) server.stdin.write(line);
  const answer = await lineOf(server, (line) => line.includes('"id":2'));
  const took = performance.now() - began;
  if (answer.includes('"error"')) throw new Error(`The server answered: ${answer}`);
  server.stdin.end();
  await once(server, "exit");
  return took;
}

async function engineStart(database: string): Promise<number> {
  await pause(restMs);
  const engine = spawn(process.execPath, [child, "engine", database]);
  const line = await lineOf(engine, () => true);
  await once(engine, "exit");
  return Number(line);
}

async function lineOf(server: ChildProcessWithoutNullStreams, isWanted: (line: string) => boolean): Promise<string> {
  let said = "";
  server.stderr.on("data", (text: Buffer) => (said += String(text)));
  for await (const line of createInterface({ input: server.stdout })) if (isWanted(line)) return line;
  throw new Error(`The process ended without an answer: ${said}`);
}
