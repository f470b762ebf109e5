// A runtime on an empty database of its own, with scripted models.
import { createRuntime, type RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import type { AgentEvent } from "../../src/agent/events.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { createTestDatabase, isPooled, type TestDatabase } from "./database.ts";
import { useScene } from "./use-scene.ts";

export interface TestRuntimes {
  /** The options that name the database. */
  readonly place: RuntimeOptions;
  /** Opens a runtime on the database; all are closed by `close`. */
  open(options?: RuntimeOptions): Promise<Runtime>;
  close(): Promise<void>;
}

export async function createTestRuntimes(options: { readonly isOwn?: boolean } = {}): Promise<TestRuntimes> {
  const database: TestDatabase = await createTestDatabase(options);
  const { connection } = database;
  const opened: Runtime[] = [];
  const located = connection.kind === "server" ? { databaseUrl: connection.url } : { dataDir: connection.folder };
  const place: RuntimeOptions = { ...located, ...(isPooled ? { preparedStatements: "off" } : {}) };
  return {
    place,
    async open(options = {}) {
      const runtime = await createRuntime({
        ...place,
        embedder: null,
        timeZone: "UTC",
        log: () => undefined,
        ...options,
      });
      opened.push(runtime);
      return runtime;
    },
    async close() {
      for (const runtime of opened) await runtime.close();
      await database.remove();
    },
  };
}

/** Runtimes that the tests of a file share. */
export const useRuntimes = (options: { readonly isOwn?: boolean } = {}): TestRuntimes =>
  useScene(() => createTestRuntimes(options));

/** All events of a turn. */
export async function drain(events: AsyncIterable<AgentEvent>): Promise<readonly AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** The last event of a turn. */
export async function lastOf(events: AsyncIterable<AgentEvent>): Promise<Extract<AgentEvent, { type: "turn-end" }>> {
  const end = (await drain(events)).at(-1);
  if (end?.type !== "turn-end") throw new Error(`Expected a turn-end, got ${String(end?.type)}`);
  return end;
}
