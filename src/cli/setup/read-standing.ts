// What is configured before somebody chooses, for the questions and for people.
import type { CommandCall } from "../command.ts";
import { settingsOf } from "../parse/setting-flags.ts";
import type { ShownSetting } from "../world.ts";
import type { Standing } from "./dialogue.ts";

/** Throws ConfigError. */
export async function readStanding(call: CommandCall): Promise<Standing> {
  const { settings } = await call.world.configuration(settingsOf(call.line));
  const baseUrl = settingOf(settings, "baseUrl");
  const isImposed = baseUrl?.from.kind === "environment" || baseUrl?.from.kind === "flag";
  return {
    imposedBaseUrl: isImposed && typeof baseUrl.value === "string" ? baseUrl.value : null,
    hasAnthropicKey: isSet(settingOf(settings, "anthropicApiKey")),
    hasOpenaiKey: isSet(settingOf(settings, "openaiApiKey")),
  };
}

export function settingOf(settings: readonly ShownSetting[], key: string): ShownSetting | undefined {
  return settings.find((setting) => setting.key === key);
}

export function isSet(setting: ShownSetting | undefined): boolean {
  return setting !== undefined && setting.value !== null;
}
