// The questions about a model in a test: a terminal of two streams, with answers typed at each question.
import { PassThrough } from "node:stream";
import { configDefaults } from "../../../../src/config/settings.ts";
import { providerChoices } from "../../../../src/runtime/compose/provider-keys.ts";
import type { ShownConfiguration, World } from "../../../../src/surfaces/cli/world.ts";
import { type CliRun, runInWorld } from "../../../support/fake-world.ts";
import { createFakeSetup, type FakeSetup, type FakeSetupOptions } from "../../../support/fake-setup.ts";

export interface SetupRun extends CliRun {
  /** The complete terminal output, with readline's control sequences. */
  readonly screen: string;
  readonly setup: FakeSetup;
}

export interface SetupScene extends FakeSetupOptions {
  /** Typed in order, one per question. */
  readonly keys: readonly string[];
  /** Typed during the test of a model. */
  readonly keyWhileTesting?: string;
  readonly configuration?: ShownConfiguration;
  /** The model that is configured before. Default: the demo. */
  readonly former?: string;
  readonly world?: Partial<World>;
}

export const nothingConfigured: ShownConfiguration = {
  file: null,
  settings: [
    { key: "model", value: "demo", from: { kind: "default" } },
    { key: "baseUrl", value: null, from: { kind: "default" } },
    { key: "anthropicApiKey", value: null, from: { kind: "default" } },
    { key: "openaiApiKey", value: null, from: { kind: "default" } },
  ],
};

/** Runs a command line in an attended terminal. The input ends after the last key, or when a choice was saved. */
export async function runWithAnswers(argv: readonly string[], scene: SetupScene): Promise<SetupRun> {
  const setup = createFakeSetup(scene);
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  let screen = "";
  const keys = [...scene.keys];
  if (keys.length === 0) stdin.end();
  stdout.on("data", (chunk: Buffer) => {
    const text = stripEscapes(chunk.toString("utf8"));
    screen += text;
    if (text.includes("Saved: ") && keys.length === 0) stdin.end();
    else if (text.startsWith("Testing ") && scene.keyWhileTesting !== undefined) {
      setImmediate(() => void stdin.write(scene.keyWhileTesting));
    } else if (text.endsWith(": ")) setImmediate(() => void stdin.write(keys.shift() ?? "\u0003"));
  });
  const configuration = scene.configuration ?? nothingConfigured;
  const run = await runInWorld(argv, {
    isAttended: true,
    input: stdin,
    stdout,
    configuration: async () => configuration,
    settings: async () => ({
      ...usualSettings,
      ...(scene.former === undefined ? {} : { model: scene.former }),
      providers: providersIn(configuration),
    }),
    openSetup: async () => setup,
    ...scene.world,
  });
  return { ...run, screen, setup };
}

const usualSettings = {
  model: "demo",
  baseUrl: null,
  embedding: "local/use-lite",
  theme: "auto",
  bell: "off",
  terminalTitle: "on",
  shellCommands: "off",
  notification: "off",
  statusLine: null,
  editorKeys: "emacs",
  hasLlama: false,
  userId: "local",
  dataDir: "/nowhere/palimpsest",
  share: { requests: 32, streams: 64, bytes: 32_000_000 },
} as const;

function providersIn({ settings }: ShownConfiguration): ReturnType<typeof providerChoices> {
  const keys = settings.filter(({ value }) => value === "(set)").map(({ key, value }) => [key, value]);
  return providerChoices({ ...configDefaults, ...Object.fromEntries(keys) });
}

function stripEscapes(text: string): string {
  // oxlint-disable-next-line no-control-regex -- readline's sequences for the cursor
  return text.replaceAll(/\u001b\[[0-9;]{0,10}[A-Za-z]/gu, "");
}
