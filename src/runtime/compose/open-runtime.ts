// Opens a runtime: most of its code is loaded while the engine starts.
// Invariant: this file imports little, so that the engine's process is started before the rest is loaded.
import type { Config } from "../../config/settings.ts";
import type { Runtime } from "../runtime.ts";
import { connectOrServe, type EmbeddedServer } from "../../store/embedded/connect-or-serve.ts";

export interface Opening {
  readonly log: (line: string) => void;
  /** Called as soon as the engine is being started, or at once if there is no engine to start. */
  readonly onOpening: () => void;
}

/** Opens the runtime. Throws the same errors as `createRuntime`. */
export async function openRuntime(config: Config, { log, onOpening }: Opening): Promise<Runtime> {
  const engine = startEngine(config, log);
  // Prevents an unhandled rejection: the store waits for the engine and reports its failure.
  engine?.catch(() => undefined);
  onOpening();
  const { composeRuntime } = await import("./compose.ts");
  return composeRuntime({ ...config, log }, engine === undefined ? {} : { engine });
}

/**
 * Starts the engine early if it runs in a process of its own, which ends by itself if no runtime uses it. An engine in
 * a thread would have to be closed if the rest of the opening fails.
 */
function startEngine(
  { databaseUrl, dataDir: folder, engineHost: host }: Config,
  log: (line: string) => void,
): Promise<EmbeddedServer> | undefined {
  return databaseUrl === null && host === "process" ? connectOrServe({ folder, host, log }) : undefined;
}
