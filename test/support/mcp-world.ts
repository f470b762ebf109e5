// Runs `palimpsest mcp` in a world whose configuration files are real.
import { openMcpSetup } from "../../src/runtime/compose/open-mcp-setup.ts";
import { loadConfig } from "../../src/config/file/load-config.ts";
import { saveEntry } from "../../src/config/file/save-file.ts";
import type { McpSetup } from "../../src/runtime/mcp.ts";
import { type CliOptions, type CliRun, runInWorld } from "./fake-world.ts";

export const runMcp = (folder: string, ...argv: readonly string[]): Promise<CliRun> => runMcpWith(folder, {}, argv);

/** Opens the operations on the servers that the configuration file in a home folder names. */
export async function setupIn(folder: string): Promise<McpSetup> {
  const places = { flags: {}, env: { HOME: folder } };
  const { config } = await loadConfig(places);
  return openMcpSetup({ config, log: () => undefined, save: (change) => saveEntry(places, change) });
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
