// Opens a runtime for an evaluation or a model test, with the user's configuration and an empty store in a temporary folder.
// Invariant: the user's store is neither read nor changed, and the folder is deleted when the runtime is closed.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime } from "./compose.ts";
import type { Config } from "../../config/settings.ts";
import type { Model } from "../../model/llm/model.ts";
import type { Runtime } from "../runtime.ts";

/** Opens the runtime. `models` are added to those of the providers. Throws ConfigError and StoreError. */
export async function openTrial(
  config: Config,
  log: (line: string) => void,
  models: readonly Model[],
): Promise<Runtime> {
  const dataDir = await mkdtemp(join(tmpdir(), "palimpsest-trial-"));
  const remove = (): Promise<void> => rm(dataDir, { recursive: true, force: true });
  try {
    const runtime = await createRuntime({
      ...config,
      dataDir,
      databaseUrl: null,
      migrationUrl: null,
      timeZone: "UTC",
      models,
      log,
    });
    return {
      ...runtime,
      async close(options) {
        await runtime.close(options);
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
