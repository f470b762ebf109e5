// Runs the command line with the argv, environment and signals of the process, and sets its exit code. No other file
// reads the environment or ends the process.
// Invariant: code that `--help` does not need is loaded only when a command needs it.
import { homedir } from "node:os";
import { createHiddenTexts } from "../src/base/hidden-texts.ts";
import { startedCommand } from "../src/base/started-command.ts";
import { packageVersion } from "../src/surfaces/cli/package-version.ts";
import { browserOpener } from "../src/surfaces/cli/open-browser.ts";
import { runCli } from "../src/surfaces/cli/run-cli.ts";
import { takesClipboard } from "../src/surfaces/cli/chat/clipboard.ts";
import type { LoadedConfig } from "../src/config/file/load-config.ts";
import type { Config } from "../src/config/settings.ts";

const { env, stdin, stdout, stderr } = process;
const secrets = createHiddenTexts();
const interruption = new AbortController();
// If CI or CONTINUOUS_INTEGRATION is set, but not to 0 or false, Ink draws only the last frame, so a chat would stay blank.
const isBuild = ["CI", "CONTINUOUS_INTEGRATION"].some((name) => !["0", "false", undefined].includes(env[name]));
let isOutputLost = false;
let isTerminalLent = false;

// On the first interruption (Ctrl+C, SIGTERM), the running turn stops and stores its end. A second one ends the process.
const interrupt = (): void => {
  if (interruption.signal.aborted) process.exit(130);
  interruption.abort();
};
process.on("SIGINT", () => {
  if (!isTerminalLent) interrupt();
});
process.on("SIGTERM", interrupt);

// The program that reads this output has ended (`… | head -1`): stop without an error message, but with exit code 1.
stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  isOutputLost = true;
  interruption.abort();
});
stderr.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

// The arguments are removed from argv, because chalk reads `--no-color` from it and would turn off bold text, too.
const exitCode = await runCli(process.argv.splice(2), {
  stdin,
  stdout,
  stderr,
  isTerminal: Boolean(stdin.isTTY && stdout.isTTY) && env["TERM"] !== "dumb" && !isBuild,
  isAttended: Boolean(stdin.isTTY && stdout.isTTY) && env["TERM"] !== "dumb" && !isBuild,
  hasColor: stdout.isTTY && env["TERM"] !== "dumb" && !env["NO_COLOR"],
  colorFgBg: env["COLORFGBG"] ?? "",
  hasUtf8: process.platform === "win32" || /utf-?8/iu.test(env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || ""),
  hasClipboard: takesClipboard(env),
  terminalName: env["TERM"] || null,
  version: packageVersion(),
  command: startedCommand({ env, script: process.argv[1] ?? "palimpsest", workingFolder: process.cwd() }),
  place: {
    platform: process.platform,
    home: homedir(),
    workingFolder: process.cwd(),
    appData: env["APPDATA"],
    node: process.execPath,
    script: process.argv[1] ?? "palimpsest",
  },
  editor: env["VISUAL"] || env["EDITOR"] || (process.platform === "win32" ? "notepad" : "vi"),
  opener: browserOpener(process.platform, env),
  shell: env["SHELL"] || "/bin/sh",
  async suspend() {
    // Suspends the whole process group, because the shell waits for the program that it started. That program may be a
    // parent of this process, such as npm. Windows has no SIGTSTP.
    if (process.platform !== "win32") process.kill(0, "SIGTSTP");
    // The signal suspends this process within 50 ms. Without a shell that could continue the group, the signal has no effect.
    await new Promise((resolve) => setTimeout(resolve, 50));
    // The terminal may have changed its size while this process was suspended. Node reads the size again only on SIGWINCH.
    process.emit("SIGWINCH", "SIGWINCH");
  },
  async lend(use) {
    isTerminalLent = true;
    try {
      return await use();
    } finally {
      isTerminalLent = false;
    }
  },
  debug: Boolean(env["PALIMPSEST_DEBUG"]),
  now: () => performance.now(),
  async settings(flags) {
    const config = await configOf(flags);
    const { model, baseUrl, embedding, theme, bell, terminalTitle, shellCommands, userId, dataDir } = config;
    const { notification, statusLine, editorKeys } = config;
    const { isGgufReady } = await import("../src/runtime/compose/create-models.ts");
    const { providerChoices } = await import("../src/runtime/compose/provider-keys.ts");
    return {
      model,
      baseUrl,
      embedding,
      theme,
      bell,
      terminalTitle,
      shellCommands,
      notification,
      statusLine,
      editorKeys,
      userId,
      dataDir,
      share: {
        requests: config.maxUserRequests,
        streams: config.maxUserStreams,
        bytes: Math.floor(config.maxUserMegabytes * 1_000_000),
      },
      providers: providerChoices(config),
      hasLlama: isGgufReady(),
    };
  },
  async configuration(flags) {
    const loaded = await load(flags);
    const { shownSettings } = await import("../src/config/shown-settings.ts");
    return { file: loaded.file, settings: shownSettings(loaded) };
  },
  async launchSettings(flags) {
    const { launchSettings } = await import("../src/config/file/launch-settings.ts");
    return launchSettings({ flags, env }, process.cwd());
  },
  hide: (text) => secrets.hide(text),
  async embedders(flags) {
    const config = await configOf(flags);
    const { listEmbedders } = await import("../src/runtime/compose/list-embedders.ts");
    return listEmbedders(config);
  },
  async openRuntime(flags, log, onOpening = () => undefined) {
    const config = await configOf(flags);
    const { openRuntime } = await import("../src/runtime/compose/open-runtime.ts");
    return openRuntime(config, { log, onOpening });
  },
  async openHost(flags, log) {
    const { userId: _, userIsolation: __, ...config } = await configOf(flags);
    const { createHost } = await import("../src/runtime/compose/compose.ts");
    const { servedLimits } = await import("../src/config/settings/program-settings.ts");
    return createHost({
      ...config,
      maxConcurrentTurns: config.maxConcurrentTurns ?? servedLimits.maxConcurrentTurns,
      maxUserAgents: config.maxUserAgents ?? servedLimits.maxUserAgents,
      maxUserFiles: config.maxUserFiles ?? servedLimits.maxUserFiles,
      log,
    });
  },
  async openDoctor(flags, log) {
    const loaded = await load(flags);
    const { inspectFiles } = await import("../src/config/file/launch-settings.ts");
    const { openDoctor } = await import("../src/runtime/compose/open-doctor.ts");
    return openDoctor({ config: loaded.config, configuration: await inspectFiles(loaded, env), log });
  },
  async openTrial(flags, log, cases) {
    const config = await configOf(flags);
    const { openTrial } = await import("../src/runtime/compose/open-trial.ts");
    const { createLiteralReader } = await import("../src/surfaces/eval/literal-reader.ts");
    const { createTalkReader } = await import("../src/surfaces/eval/talk-reader.ts");
    const { createTidier } = await import("../src/surfaces/eval/tidier.ts");
    return openTrial(config, log, [createLiteralReader(), createTalkReader(), createTidier(cases)]);
  },
  async openSetup(flags, log) {
    const config = await configOf(flags);
    const { openSetup } = await import("../src/runtime/compose/open-setup.ts");
    const { saveSettings } = await import("../src/config/file/save-file.ts");
    return openSetup({
      config,
      log,
      write: (changes) => saveSettings({ flags, env }, changes),
      environment: (variable) => env[variable],
    });
  },
  async openMcp(flags, log) {
    const config = await configOf(flags);
    const { openMcpSetup } = await import("../src/runtime/compose/open-mcp-setup.ts");
    const { saveEntry } = await import("../src/config/file/save-file.ts");
    return openMcpSetup({ config, log, save: (change) => saveEntry({ flags, env }, change) });
  },
  signal: interruption.signal,
});

// Waits until the output is written to the pipe, because an earlier exit would truncate it.
if (!isOutputLost) await new Promise<void>((resolve) => stdout.write("", () => resolve()));
process.exit(isOutputLost ? 1 : exitCode);

async function configOf(flags: Readonly<Record<string, string>>): Promise<Config> {
  return (await load(flags)).config;
}

async function load(flags: Readonly<Record<string, string>>): Promise<LoadedConfig> {
  const { loadConfig } = await import("../src/config/file/load-config.ts");
  const loaded = await loadConfig({ flags, env });
  secrets.add(loaded.secretTexts);
  return loaded;
}
