// Reads the configuration before the questions about a model.
import type { CommandCall } from "../command.ts";
import { settingsOf } from "../parse/setting-flags.ts";
import type { ShownSetting } from "../world.ts";
import type { SetupContext } from "./dialogue.ts";

/** Returns the configuration before the choice. Throws ConfigError. */
export async function readSetupContext(call: CommandCall): Promise<Omit<SetupContext, "isFirstRun">> {
  const flags = settingsOf(call.line);
  const { settings } = await call.world.configuration(flags);
  const { providers, embedding } = await call.world.settings(flags);
  const baseUrl = settingOf(settings, "baseUrl");
  const isImposed = baseUrl?.from.kind === "environment" || baseUrl?.from.kind === "flag";
  return {
    fixedBaseUrl: isImposed && typeof baseUrl.value === "string" ? baseUrl.value : null,
    providers,
    embedding,
    locale: Intl.DateTimeFormat().resolvedOptions().locale,
  };
}

export function settingOf(settings: readonly ShownSetting[], key: string): ShownSetting | undefined {
  return settings.find((setting) => setting.key === key);
}
