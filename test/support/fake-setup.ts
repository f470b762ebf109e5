// A Setup that answers as a test tells it to, and notes what was asked of it.
import type {
  KnownAbilities,
  LocalServer,
  ModelChoice,
  ModelLocation,
  ModelTrial,
  SavedChoice,
  Setup,
} from "../../src/runtime/setup.ts";

export interface FakeSetupOptions {
  readonly servers?: readonly LocalServer[];
  /** Names, or what is thrown, for each place that is asked. */
  readonly list?: (place: ModelLocation) => readonly string[];
  readonly abilities?: Readonly<Record<string, KnownAbilities>>;
  /** Throws what the call of a choice fails with. Nothing returned: the model calls tools and has a large window. */
  readonly test?: (
    choice: ModelChoice,
    signal: AbortSignal,
  ) => Partial<ModelTrial> | void | Promise<Partial<ModelTrial> | void>;
  readonly save?: (choice: ModelChoice) => SavedChoice;
}

export interface FakeSetup extends Setup {
  readonly listed: readonly ModelLocation[];
  readonly tested: readonly ModelChoice[];
  readonly saved: readonly ModelChoice[];
}

const goodTrial: ModelTrial = {
  window: 128_000,
  windowFrom: "server",
  promptTokens: 2500,
  neededTokens: 5000,
  fits: "well",
  callsTools: true,
  advice: "Raise it.",
};

export function createFakeSetup(options: FakeSetupOptions = {}): FakeSetup {
  const [listed, tested, saved]: [ModelLocation[], ModelChoice[], ModelChoice[]] = [[], [], []];
  return {
    listed,
    tested,
    saved,
    window: async () => ({ tokens: 8192, from: "server" }),
    findServers: async () => options.servers ?? [],
    async listModels(place) {
      listed.push(place);
      return options.list?.(place) ?? [];
    },
    abilities: async () => new Map(Object.entries(options.abilities ?? {})),
    async test(choice, signal) {
      tested.push(choice);
      return { ...goodTrial, ...(await options.test?.(choice, signal)) };
    },
    async save(choice) {
      saved.push(choice);
      return options.save?.(choice) ?? { file: "/data/config.json", secretsFile: null, notes: [] };
    },
  };
}
