// Measures importing a conversation of 100,000 messages: its time, and the memory that it takes above the start. On the
// database of BENCH_DATABASE_URL, or else an embedded one, whose engine runs in this process.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { createRuntime } from "../src/runtime/compose/compose.ts";
import type { ImportedMessage } from "../src/runtime/conversations/contract.ts";
import { type Row, rowOf } from "./measure.ts";

const count = 100_000;

export async function benchImport(): Promise<readonly Row[]> {
  const databaseUrl = process.env["BENCH_DATABASE_URL"];
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-bench-"));
  const place = databaseUrl === undefined ? { dataDir: folder } : { databaseUrl };
  const runtime = await createRuntime({ ...place, model: "demo", embedder: null });
  try {
    const name = `bench-import-${Date.now()}`;
    await runtime.agents.create({ name });
    await runtime.conversations.import(name, { messages: messagesOf(1000) });
    const messages = messagesOf(count);
    const started = { rss: process.memoryUsage.rss(), at: performance.now() };
    let peak = started.rss;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);
    await runtime.conversations.import(name, { messages });
    clearInterval(watch);
    const ms = performance.now() - started.at;
    const megabytes = Math.round((peak - started.rss) / 1e6);
    const note = `${Math.round((1000 * count) / ms)} a second; at most ${megabytes} MB above the start`;
    return [rowOf(`import ${count.toLocaleString("en")} messages`, [ms], { note })];
  } finally {
    await runtime.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export function messagesOf(length: number): readonly ImportedMessage[] {
  return Array.from({ length }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    text: `Message number ${index} of a long conversation about boats, tides and the people at the harbour.`,
    at: new Date(index * 1000),
  }));
}
