// Processes that are killed while they write a node memory, in the built library: what they had kept is there, and the object is
// whole. The S3 service keeps half of what a killed process was sending, as some do.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { packageRoot } from "../../src/base/package-root.ts";
import { textOf } from "../../src/message.ts";
import { createRuntime } from "../../src/compose.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { type NodePlaces, openNodePlaces } from "../support/node-places.ts";

const key = { app: "crash", conversation: "conv-1", node: "llm" };
const keys = { s3AccessKeyId: "id", s3SecretAccessKey: "secret" };

let places: NodePlaces;
let database: TestDatabase;

beforeEach(async () => {
  places = await openNodePlaces();
  database = await createTestDatabase();
});

afterEach(async () => {
  await places.close();
  await database.remove();
});

interface Writer {
  readonly child: ChildProcess;
  /** What it has said to have kept. */
  readonly kept: string[];
}

function startWriter(objects: string, name: string): Writer {
  const { connection } = database;
  const library = path.join(packageRoot(), "dist", "src", "index.js");
  const script = path.join(packageRoot(), "test", "support", "node-writer.mjs");
  const place = connection.kind === "server" ? connection.url : connection.folder;
  const child = spawn(process.execPath, [script, library, place, objects, name], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kept: string[] = [];
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    const lines = text.split("\n");
    text = lines.pop()!;
    kept.push(...lines);
  });
  return { child, kept };
}

async function killAfter({ child, kept }: Writer, turns: number, delayMs: number): Promise<void> {
  while (kept.length < turns) {
    if (child.exitCode !== null) throw new Error(`The writer has ended by itself, with ${child.exitCode}.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
}

test.each(["folder", "s3"] as const)(
  "a memory in the %s is the old or the new one, never half, however often its writers are killed",
  async (kind) => {
    const { setting } = places[kind];
    const kept: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      const writers = ["a", "b"].map((name) => startWriter(setting, `${name}${round}`));
      for (const [at, writer] of writers.entries()) await killAfter(writer, 2, round * 7 + at * 13);
      kept.push(...writers.flatMap((writer) => writer.kept));
    }
    const place =
      database.connection.kind === "server"
        ? { databaseUrl: database.connection.url }
        : { dataDir: database.connection.folder };
    const runtime = await createRuntime({ ...place, objects: setting, embedder: null, ...keys });
    const memory = runtime.nodeMemory.open(key);
    // The last of each writer has all those before it.
    for (const id of kept) {
      const history = await memory.getHistoryPromptMessages(id, { maxTokens: 10_000_000 });
      expect(history.map(textOf).at(-1)).toBe(id);
      expect(history).toHaveLength(2 * (Number(id.split("-")[1]) + 1));
    }
    expect(kept.length).toBeGreaterThanOrEqual(8);
    await runtime.close();
  },
  120_000,
);
