// Defines the dependencies of the setup's questions, and reads the configuration from which they suggest answers.
import type { ProviderChoice, Setup } from "../../../runtime/setup.ts";
import type { CommandCall } from "../command.ts";
import { settingsOf } from "../parse/flag-values.ts";
import type { ShownSetting } from "../world.ts";
import type { Questions } from "./questions.ts";

export interface Dialogue {
  readonly questions: Questions;
  readonly setup: Setup;
  readonly context: SetupContext;
}

/** The configuration before the user chooses a model. */
export interface SetupContext {
  /** The base URL in a flag or the environment, which overrides a saved one; null if there is none. */
  readonly fixedBaseUrl: string | null;
  readonly providers: readonly ProviderChoice[];
  readonly embedding: string;
  /** The user's locale, such as `pt-PT`. */
  readonly locale: string;
  /** Whether Palimpsest runs for the first time: no model was ever chosen. */
  readonly isFirstRun: boolean;
}

/** Returns the configuration that setup starts from. Throws ConfigError. */
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
