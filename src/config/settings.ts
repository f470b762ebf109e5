// Defines the table of all settings. Flags, environment variables, validation, defaults and documents are derived from it.
// Invariant: `--help` loads this file, so it imports neither zod nor other large modules.
import { bufferSettings, rerankingSettings, retrievalSettings } from "./settings/retrieval-settings.ts";
import { embeddingSettings } from "./settings/embedding-settings.ts";
import { keySettings } from "./settings/key-settings.ts";
import { mcpSettings } from "./settings/mcp-settings.ts";
import { memorySettings } from "./settings/memory-settings.ts";
import { modelSettings } from "./settings/model-settings.ts";
import { programSettings, userSettings } from "./settings/program-settings.ts";
import type { AgentKeyOf, FlagNameOf, Setting, ValuesOf } from "./settings/setting.ts";
import { storeSettings } from "./settings/store-settings.ts";
import { turnSettings } from "./settings/turn-settings.ts";
import { windowSettings } from "./settings/window-settings.ts";

const table = {
  ...storeSettings,
  ...modelSettings,
  ...keySettings,
  ...embeddingSettings,
  ...rerankingSettings,
  ...retrievalSettings,
  ...bufferSettings,
  ...turnSettings,
  ...userSettings,
  ...windowSettings,
  ...programSettings,
  ...mcpSettings,
  ...memorySettings,
};

/** The values of all settings. For a setting that each agent stores, `Config` has the value of new agents. */
export interface Config
  extends ValuesOf<typeof storeSettings>,
    ValuesOf<typeof modelSettings>,
    ValuesOf<typeof keySettings>,
    ValuesOf<typeof embeddingSettings>,
    ValuesOf<typeof rerankingSettings>,
    ValuesOf<typeof retrievalSettings>,
    ValuesOf<typeof bufferSettings>,
    ValuesOf<typeof turnSettings>,
    ValuesOf<typeof userSettings>,
    ValuesOf<typeof windowSettings>,
    ValuesOf<typeof programSettings>,
    ValuesOf<typeof mcpSettings>,
    ValuesOf<typeof memorySettings> {}

/** The names of all flags. */
export type SettingFlagName = FlagNameOf<typeof table>;

/** Keys of the settings that each agent stores. */
export type AgentKey = AgentKeyOf<typeof table>;

/** The settings by key, in display order. */
export const settings: { readonly [Key in keyof Config]: Setting<Config[Key], SettingFlagName> } = table;

export const settingKeys: readonly (keyof Config)[] = Object.keys(settings).filter(isConfigKey);

export const agentKeys: readonly AgentKey[] = settingKeys.filter(
  (key): key is AgentKey => settings[key].isOfAgent === true,
);

/** The settings that new agents copy from the configuration. */
export type ConfiguredSettings = Pick<Config, AgentKey>;

/** Returns the settings of `config` that each agent stores. */
export function configuredSettings(config: ConfiguredSettings): ConfiguredSettings {
  return Object.fromEntries(agentKeys.map((key) => [key, config[key]])) as unknown as ConfiguredSettings;
}

/** Returns the settings of an agent that is created without a configuration. */
export function agentDefaults(): ConfiguredSettings {
  return Object.fromEntries(agentKeys.map((key) => [key, settings[key].default])) as unknown as ConfiguredSettings;
}

export function isConfigKey(key: string): key is keyof Config {
  return Object.hasOwn(settings, key);
}

/** Letta's tools with which agents write to each other. */
export const lettaMessageTools = [
  "send_message_to_agent_and_wait_for_reply",
  "send_message_to_agent_async",
  "send_message_to_agents_matching_tags",
] as const;

/** The tools with which agents write to each other. */
export const messageTools = ["message_agent", "reply", ...lettaMessageTools] as const;

/** The names of the runtime's tools that an agent has only if its setting `addedTools` names them. */
export const optionalTools = [
  "memory_insert",
  "memory_replace",
  "memory_rethink",
  "memory",
  "write_skill",
  ...messageTools,
] as const satisfies readonly OptionalTool[];

export type OptionalTool =
  | "memory_insert"
  | "memory_replace"
  | "memory_rethink"
  | "memory"
  | "write_skill"
  | "message_agent"
  | "reply"
  | "send_message_to_agent_and_wait_for_reply"
  | "send_message_to_agent_async"
  | "send_message_to_agents_matching_tags";

/** The defaults of all settings, except the data folder, which depends on the home folder. */
export const configDefaults: Omit<Config, "dataDir"> = withDefaults({});

/**
 * Returns the values, with the defaults of all other settings. The data folder has no default: it is absent unless given. A
 * default that comes from the machine, such as the time zone, is determined only when it is accessed.
 */
export function withDefaults(values: Partial<Config>): Omit<Config, "dataDir"> & Partial<Pick<Config, "dataDir">> {
  const missing = settingKeys.filter((key) => key !== "dataDir" && !Object.hasOwn(values, key));
  const defaults = missing.map((key) => [key, Object.getOwnPropertyDescriptor(settings[key], "default")]);
  return Object.defineProperties({ ...values } as Config, Object.fromEntries(defaults) as PropertyDescriptorMap);
}
