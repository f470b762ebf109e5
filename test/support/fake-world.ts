// A World whose streams are strings, to run the command line in a test.
import { Readable, Writable } from "node:stream";
import { runCli } from "../../src/surfaces/cli/run-cli.ts";
import type { SettingFlags, World } from "../../src/surfaces/cli/world.ts";
import { providerChoices } from "../../src/runtime/compose/provider-keys.ts";
import { configDefaults } from "../../src/config/settings.ts";
import type { EmbedderChoice } from "../../src/runtime/embedder-choice.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { createFakeDoctor } from "./fake-doctor.ts";
import { createFakeSetup } from "./fake-setup.ts";
import { stubRuntime } from "./stub-runtime.ts";

export interface CliRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The settings that the runtime was opened with; undefined when it was not. */
  readonly opened: SettingFlags | undefined;
}

export interface CliOptions extends Partial<World> {
  readonly runtime?: Runtime;
  readonly input?: string | Readable;
}

const fakeEmbedder: EmbedderChoice = {
  name: "local/use-lite",
  dimensions: 512,
  windowTokens: 128,
  isRemote: false,
  needs: null,
  isReady: true,
  isUsed: true,
};

/** Runs one command line, against a runtime without functions if none is given, and collects what it wrote. */
export async function runInWorld(argv: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const { runtime = stubRuntime(), input = "", ...overrides } = options;
  const [stdout, stderr] = [collect(), collect()];
  let opened: SettingFlags | undefined;
  let milliseconds = 0;
  const exitCode = await runCli(argv, {
    stdin: typeof input === "string" ? Readable.from([Buffer.from(input)]) : input,
    stdout: stdout.stream,
    stderr: stderr.stream,
    isTerminal: false,
    isAttended: false,
    hasColor: false,
    colorFgBg: "",
    hasUtf8: true,
    hasClipboard: false,
    terminalName: null,
    version: "0.0.0-test",
    command: "palimpsest",
    place: {
      platform: "linux",
      home: "/home/ada",
      workingFolder: "/work",
      appData: undefined,
      node: "/usr/bin/node",
      script: "/usr/bin/palimpsest",
    },
    debug: false,
    editor: "vi",
    opener: null,
    shell: "/bin/sh",
    suspend: async () => undefined,
    lend: (use) => use(),
    now: () => (milliseconds += 25),
    settings: async () => ({
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
      providers: providerChoices({ ...configDefaults, anthropicApiKey: "sk-ant" }),
      hasLlama: false,
      userId: "local",
      dataDir: "/nowhere/palimpsest",
      share: { requests: 32, streams: 64, bytes: 32_000_000 },
    }),
    configuration: async () => ({ file: null, settings: [{ key: "model", value: "demo", from: { kind: "default" } }] }),
    launchSettings: async (flags) => ({ dataDir: "/nowhere/palimpsest", flags, variables: {} }),
    hide: (text) => text,
    embedders: async () => [fakeEmbedder],
    openRuntime: async (flags) => {
      opened = flags;
      return runtime;
    },
    openTrial: async () => runtime,
    openHost: () => Promise.reject(new TypeError("This test has no host.")),
    openDoctor: async () => createFakeDoctor(),
    openSetup: async () => createFakeSetup(),
    openMcp: () => Promise.reject(new TypeError("This test has no MCP servers.")),
    signal: new AbortController().signal,
    ...overrides,
  });
  return { exitCode, stdout: stdout.text(), stderr: stderr.text(), opened };
}

function collect(): { readonly stream: Writable; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString("utf8") };
}
