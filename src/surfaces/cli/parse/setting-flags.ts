// Passes the flags that are settings to the configuration, which validates them.
import { settingFlags } from "./flags.ts";
import type { CommandLine } from "./parse-command-line.ts";
import type { SettingFlags } from "../world.ts";

export function settingsOf(line: CommandLine): SettingFlags {
  const found: Record<string, string> = {};
  for (const name of settingFlags) {
    const text = line.texts[name];
    if (text !== undefined) found[name] = text;
  }
  return found;
}
