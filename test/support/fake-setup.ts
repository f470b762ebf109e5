// A Setup that answers as a test tells it to, and notes what was asked of it.
import type { LocalServer, ModelChoice, ModelLocation, SavedChoice, Setup } from "../../src/runtime/setup.ts";

export interface FakeSetupOptions {
  readonly servers?: readonly LocalServer[];
  /** Names, or what is thrown, for each place that is asked. */
  readonly list?: (place: ModelLocation) => readonly string[];
  /** Throws what the call of a choice fails with. */
  readonly test?: (choice: ModelChoice, signal: AbortSignal) => void | Promise<void>;
  readonly save?: (choice: ModelChoice) => SavedChoice;
}

export interface FakeSetup extends Setup {
  readonly listed: readonly ModelLocation[];
  readonly tested: readonly ModelChoice[];
  readonly saved: readonly ModelChoice[];
}

export function createFakeSetup(options: FakeSetupOptions = {}): FakeSetup {
  const [listed, tested, saved]: [ModelLocation[], ModelChoice[], ModelChoice[]] = [[], [], []];
  return {
    listed,
    tested,
    saved,
    findServers: async () => options.servers ?? [],
    async listModels(place) {
      listed.push(place);
      return options.list?.(place) ?? [];
    },
    async test(choice, signal) {
      tested.push(choice);
      await options.test?.(choice, signal);
    },
    async save(choice) {
      saved.push(choice);
      return options.save?.(choice) ?? { file: "/data/config.json", secretsFile: null, notes: [] };
    },
  };
}
