// Node memories that several processes write at once, in the built library: nothing is lost while they write, and nothing is half
// when they are killed. The fake S3 service keeps half of what a killed process was sending, as some do; a real one is asked where
// there is one.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { packageRoot } from "../../src/base/package-root.ts";
import { createRuntime } from "../../src/runtime/compose/compose.ts";
import { textOf } from "../../src/base/message/message.ts";
import type { NodeMemory } from "../../src/memory/node/node-memory.ts";
import { parseNodeJson } from "../../src/memory/node/node-format.ts";
import { createTestDatabase, isOnServer, placeOf, type TestDatabase } from "../support/database.ts";
import { type NodePlaces, openNodePlaces } from "../support/node-places.ts";
import { s3Keys } from "../support/node-scene.ts";

const key = { app: "crash", conversation: "conv-1", node: "llm" };

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

interface Work {
  readonly names: readonly string[];
  readonly all?: readonly string[];
  readonly turns: number | null;
  readonly letters: number;
}

interface Writer {
  readonly child: ChildProcess;
  /** What it has said to have kept. */
  readonly kept: string[];
}

function startWriter(objects: string, work: Work): Writer {
  const { connection } = database;
  const library = path.join(packageRoot(), "dist", "library", "index.js");
  const script = path.join(packageRoot(), "test", "support", "node-writer.mjs");
  const place = connection.kind === "server" ? connection.url : connection.folder;
  const child = spawn(process.execPath, [script, library, place, objects, JSON.stringify(work)], {
    stdio: ["pipe", "pipe", "inherit"],
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

async function untilKept({ child, kept }: Writer, turns: number): Promise<void> {
  while (kept.length < turns) {
    if (child.exitCode !== null) throw new Error(`The writer has ended by itself, with ${child.exitCode}.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function killAfter(writer: Writer, turns: number, delayMs: number): Promise<void> {
  const { child } = writer;
  await untilKept(writer, turns);
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
}

/** Opens the memory here, and closes it. */
async function withMemory(objects: string, work: (memory: NodeMemory) => Promise<void>): Promise<void> {
  const place = placeOf(database);
  const runtime = await createRuntime({ ...place, objects, embedder: null, ...s3Keys });
  await work(runtime.nodeMemory.open(key));
  await runtime.close();
}

const answersOf = async (memory: NodeMemory, id: string): Promise<readonly string[]> => {
  const history = await memory.getHistoryPromptMessages(id, { maxTokens: 10_000_000 });
  return history.filter(({ role }) => role === "assistant").map(textOf);
};

// On the embedded engine in the folder alone: its one backend takes a writer at a time, which is half a minute for each place.
const placesOfMany = isOnServer ? (["folder", "s3"] as const) : (["folder"] as const);

describe.each(placesOfMany)("a memory in the %s", (kind) => {
  it("has all exchanges of 16 writers in four processes, in order, in one valid object", async () => {
    const all = Array.from({ length: 16 }, (_, number) => `w${number}`);
    const turns = 3;
    const writers = [0, 4, 8, 12].map((from) =>
      startWriter(places[kind].setting, { names: all.slice(from, from + 4), all, turns, letters: 100 }),
    );
    const closed = writers.map(async ({ child }) => (await once(child, "close"))[0] as number);
    for (const writer of writers) await untilKept(writer, 4 * turns);
    for (const { child } of writers) child.stdin!.end();
    expect(await Promise.all(closed)).toEqual([0, 0, 0, 0]);
    await withMemory(places[kind].setting, async (memory) => {
      for (const [number, name] of all.entries()) {
        const thread = [2, 1, 0].map((back) => `w${(number + back) % 16}-${2 - back}`);
        expect(await answersOf(memory, `${name}-${turns - 1}`)).toEqual(thread);
      }
      const found = (await places[kind].keys()).filter((name) => name.endsWith(memory.key));
      expect(found).toHaveLength(1);
      const messages = parseNodeJson((await places[kind].read(memory.key)).toString("utf8"), memory.key);
      expect(messages).toHaveLength(2 * 16 * turns);
      const before = new Set<string | null>([null]);
      for (const message of messages) {
        const parent = message.parent_message_id;
        expect([message.message_id, before.has(parent)]).toEqual([message.message_id, true]);
        before.add(message.message_id);
      }
    });
  });
});

describe.each(["folder", "s3"] as const)("a memory in the %s", (kind) => {
  it("is the old or the new one, never a partial one, however often its writers are killed", async () => {
    const kept: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      const writers = ["a", "b"].map((name) =>
        startWriter(places[kind].setting, { names: [`${name}${round}`], turns: null, letters: 50_000 }),
      );
      for (const [at, writer] of writers.entries()) await killAfter(writer, 2, round * 7 + at * 13);
      kept.push(...writers.flatMap((writer) => writer.kept));
    }
    await withMemory(places[kind].setting, async (memory) => {
      // The last of each writer has all those before it.
      for (const id of kept) {
        const [name, number] = id.split("-");
        expect(await answersOf(memory, id)).toEqual(
          Array.from({ length: Number(number) + 1 }, (_, at) => `${name}-${at}`),
        );
      }
    });
    expect(kept.length).toBeGreaterThanOrEqual(8);
  });
});
