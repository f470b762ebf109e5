// Everything that can be configured: the one table of settings, from which all else about them is derived.
// Invariant: it is loaded for help, so it loads neither zod nor anything else of weight.
import { bufferSettings } from "./settings/buffer-settings.ts";
import { embeddingSettings } from "./settings/embedding-settings.ts";
import { keySettings } from "./settings/key-settings.ts";
import { memorySettings } from "./settings/memory-settings.ts";
import { modelSettings } from "./settings/model-settings.ts";
import { programSettings } from "./settings/program-settings.ts";
import { retrievalSettings } from "./settings/retrieval-settings.ts";
import type { AgentKeyOf, FlagNameOf, Setting, ValuesOf } from "./settings/setting.ts";
import { storeSettings } from "./settings/store-settings.ts";
import { turnSettings } from "./settings/turn-settings.ts";
import { windowSettings } from "./settings/window-settings.ts";

const table = {
  ...storeSettings,
  ...modelSettings,
  ...keySettings,
  ...embeddingSettings,
  ...retrievalSettings,
  ...bufferSettings,
  ...turnSettings,
  ...windowSettings,
  ...programSettings,
  ...memorySettings,
};

/** Everything that can be configured. What concerns agents is the default for agents that are made with it. */
export interface Config
  extends ValuesOf<typeof storeSettings>,
    ValuesOf<typeof modelSettings>,
    ValuesOf<typeof keySettings>,
    ValuesOf<typeof embeddingSettings>,
    ValuesOf<typeof retrievalSettings>,
    ValuesOf<typeof bufferSettings>,
    ValuesOf<typeof turnSettings>,
    ValuesOf<typeof windowSettings>,
    ValuesOf<typeof programSettings>,
    ValuesOf<typeof memorySettings> {}

/** Settings that have a flag, by the names of their flags. */
export type SettingFlagName = FlagNameOf<typeof table>;

/** Keys of settings that each agent has of its own. */
export type AgentKey = AgentKeyOf<typeof table>;

/** The settings by their keys, in the order in which they are shown. */
export const settings: { readonly [Key in keyof Config]: Setting<Config[Key], SettingFlagName> } = table;

export const settingKeys: readonly (keyof Config)[] = Object.keys(settings).filter(isConfigKey);

export const agentKeys: readonly AgentKey[] = settingKeys.filter(
  (key): key is AgentKey => settings[key].isOfAgent === true,
);

/** What a configuration says of the agents that are made with it. */
export type ConfiguredSettings = Pick<Config, AgentKey>;

/** The settings of `config` that each agent has of its own. */
export function configuredSettings(config: ConfiguredSettings): ConfiguredSettings {
  return Object.fromEntries(agentKeys.map((key) => [key, config[key]])) as unknown as ConfiguredSettings;
}

/** What an agent has when nothing is configured. */
export function agentDefaults(): ConfiguredSettings {
  return Object.fromEntries(agentKeys.map((key) => [key, settings[key].default])) as unknown as ConfiguredSettings;
}

export function isConfigKey(key: string): key is keyof Config {
  return Object.hasOwn(settings, key);
}
