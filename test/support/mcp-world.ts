// Runs `palimpsest mcp` in a world whose configuration files are real.
import { openMcpSetup } from "../../src/runtime/compose/open-mcp-setup.ts";
import { loadConfig } from "../../src/config/file/load-config.ts";
import { saveEntry } from "../../src/config/file/save-file.ts";
import { type CliOptions, type CliRun, runInWorld } from "./fake-world.ts";

export function runMcp(folder: string, ...argv: readonly string[]): Promise<CliRun> {
  return runMcpWith(folder, {}, argv);
}

export function runMcpWith(folder: string, options: CliOptions, argv: readonly string[]): Promise<CliRun> {
  const env = { HOME: folder };
  const secrets: string[] = [];
  return runInWorld(["mcp", ...argv], {
    ...options,
    openMcp: async (flags, log) => {
      const { config, secretTexts } = await loadConfig({ flags, env });
      secrets.push(...secretTexts);
      return openMcpSetup({ config, log, save: (change) => saveEntry({ flags, env }, change) });
    },
    hide: (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, "(hidden)"), text),
  });
}
