// What holds when nothing is configured.
import { type Config, settingKeys, settings } from "./settings.ts";

/** What holds when nothing is configured. The data folder is missing because it depends on the home folder. */
export const configDefaults = Object.fromEntries(
  settingKeys.filter((key) => key !== "dataDir").map((key) => [key, settings[key].default]),
) as unknown as Omit<Config, "dataDir">;
