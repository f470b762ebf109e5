// The default configuration.
import { type Config, settingKeys, settings } from "./settings.ts";

/** The defaults of all settings, except the data folder, which depends on the home folder. */
export const configDefaults = Object.fromEntries(
  settingKeys.filter((key) => key !== "dataDir").map((key) => [key, settings[key].default]),
) as unknown as Omit<Config, "dataDir">;
