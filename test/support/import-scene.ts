// Users who import exports of other programs, each with an agent `main`.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ImportOptions } from "../../src/runtime/imports/contract.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { createTestRuntimes, type TestRuntimes } from "./runtime.ts";

export interface ImportScene {
  readonly runtimes: TestRuntimes;
  /** For files. */
  readonly folder: string;
  newUser(options?: Parameters<TestRuntimes["open"]>[0]): Promise<Runtime>;
  close(): Promise<void>;
}

export async function openImportScene(): Promise<ImportScene> {
  const runtimes = await createTestRuntimes();
  const folder = await mkdtemp(path.join(tmpdir(), "palimpsest-imports-"));
  let users = 0;
  return {
    runtimes,
    folder,
    async newUser(options = {}) {
      users += 1;
      const runtime = await runtimes.open({ userId: `user-${users}`, ...options });
      await runtime.agents.create({ name: "main" });
      return runtime;
    },
    async close() {
      await runtimes.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** In chunks of 100 bytes. */
export async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += 100) yield bytes.subarray(from, from + 100);
}

/** Imports a value as JSON into `main`; by default, as an export of ChatGPT. */
export const imported = (runtime: Runtime, value: unknown, options: Partial<ImportOptions> = {}) =>
  runtime.imports.run("main", bytesOf(JSON.stringify(value)), { form: "chatgpt", ...options });
