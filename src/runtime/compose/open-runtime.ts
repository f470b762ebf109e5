// Opens a runtime: most of its code is loaded while the embedded database engine starts.
// Invariant: this file imports little, so that the engine's process is started before the rest of the code is loaded.
import type { Config } from "../../config/settings.ts";
import type { Runtime } from "../runtime.ts";
import { connectOrServe, type EmbeddedServer } from "../../store/embedded/connect-or-serve.ts";

export interface Opening {
  readonly log: (line: string) => void;
  /** Called once the start of the embedded engine has begun, or at once if no engine must be started. */
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
 * Starts the engine early only if it runs in a separate process. If opening the runtime then fails, that process ends by
 * itself; an engine in a thread would have to be closed.
 */
function startEngine(
  { databaseUrl, dataDir: folder, engineHost: host }: Config,
  log: (line: string) => void,
): Promise<EmbeddedServer> | undefined {
  return databaseUrl === null && host === "process" ? connectOrServe({ folder, host, log }) : undefined;
}
