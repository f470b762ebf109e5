// Measures the resident memory of the embedded engine's process and of a host with 200 users, on Linux. Times are no part of it.
// Invariant: the engine runs in a process of its own, so that its memory is not mixed with that of its clients.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createRuntime } from "../src/runtime/compose/compose.ts";
import { connectOrServe } from "../src/store/embedded/connect-or-serve.ts";
import { messagesOf } from "./import.ts";
import { createInstantModel } from "./instant-model.ts";
import { rssOf } from "./server-usage.ts";

/** Bounds in megabytes. */
const bounds = {
  "engine at rest": 300,
  "engine after importing 100,000 messages": 500,
  "host with 200 users, idle": 260,
};

/** Milliseconds after which garbage has been collected and idle threads have ended. */
const restMs = 8000;

export async function benchMemory() {
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-bench-"));
  const megabytes: Record<string, number> = {};
  const note = (name: string, pid: number): void => {
    megabytes[name] = Math.round(rssOf(pid) / 2 ** 20);
    process.stdout.write(`${name}: ${megabytes[name]} MB\n`);
  };
  const server = await connectOrServe({ folder, host: "process" });
  const runtime = await createRuntime({
    dataDir: folder,
    model: "instant-text",
    models: [createInstantModel("text")],
    embedder: null,
  });
  try {
    const engine = pidOfEngine(folder);
    const agent = await runtime.agents.open("bench", { create: { persona: "", human: "" } });
    for await (const event of agent.send("Hello")) if (event.type === "turn-end") break;
    await setTimeout(restMs);
    note("engine at rest", engine);
    await runtime.conversations.import("bench", { messages: messagesOf(100_000) });
    await setTimeout(restMs);
    note("engine after importing 100,000 messages", engine);
    await measureHost(folder, note);
  } finally {
    await runtime.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const broken = Object.entries(bounds)
    .filter(([name, bound]) => (megabytes[name] ?? Infinity) > bound)
    .map(([name, bound]) => `${name}: ${megabytes[name]} MB, bound ${bound}`);
  return { rows: [], more: { megabytes }, broken };
}

async function measureHost(folder: string, note: (name: string, pid: number) => void): Promise<void> {
  const child = spawn(process.execPath, [fileURLToPath(new URL("memory-child.js", import.meta.url)), folder], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = once(child, "exit").then(() => Promise.reject(new Error("The host ended before it was measured.")));
  await Promise.race([once(child, "message"), ended]);
  note("host with 200 users, embedding", child.pid!);
  await setTimeout(restMs);
  note("host with 200 users, idle", child.pid!);
  child.kill();
  await ended.catch(() => undefined);
}

function pidOfEngine(folder: string): number {
  const lock = readdirSync(folder).find((name) => name.startsWith("server-lock-"))!;
  return (JSON.parse(readFileSync(path.join(folder, lock), "utf8")) as { readonly pid: number }).pid;
}
