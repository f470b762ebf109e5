// Opens the runtime of the program, which loads in the time that the engine needs to start.
// Invariant: it imports little, so that the engine's process is started before the rest is loaded.
import type { Config } from "../../config/settings.ts";
import type { Runtime } from "../runtime.ts";
import { connectOrServe, type EmbeddedServer } from "../../store/embedded/connect-or-serve.ts";

export interface Opening {
  readonly log: (line: string) => void;
  /** Called when the engine was started, or if there is none to start. */
  readonly onOpening: () => void;
}

/** Throws as `createRuntime`. */
export async function openRuntime(config: Config, { log, onOpening }: Opening): Promise<Runtime> {
  const engine = startEngine(config, log);
  // Its failure is reported by the store, which waits for it.
  engine?.catch(() => undefined);
  onOpening();
  const { composeRuntime } = await import("./compose.ts");
  return composeRuntime({ ...config, log }, engine === undefined ? {} : { engine });
}

/** An engine in a thread would have to be closed if the rest fails; a process ends by itself when nobody uses it. */
function startEngine(
  { databaseUrl, dataDir: folder, engineHost: host }: Config,
  log: (line: string) => void,
): Promise<EmbeddedServer> | undefined {
  return databaseUrl === null && host === "process" ? connectOrServe({ folder, host, log }) : undefined;
}
