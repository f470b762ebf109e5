// The default configuration.
import { type Config, settingKeys, settings } from "./settings.ts";

/** The defaults of all settings, except the data folder, which depends on the home folder. */
export const configDefaults: Omit<Config, "dataDir"> = withDefaults({});

/**
 * Returns the values, and the defaults of the others; without a value, the data folder is missing. A default that the
 * table reads from the machine is read when it is asked for.
 */
export function withDefaults(values: Partial<Config>): Omit<Config, "dataDir"> & Partial<Pick<Config, "dataDir">> {
  const missing = settingKeys.filter((key) => key !== "dataDir" && !Object.hasOwn(values, key));
  const defaults = missing.map((key) => [key, Object.getOwnPropertyDescriptor(settings[key], "default")]);
  return Object.defineProperties({ ...values } as Config, Object.fromEntries(defaults) as PropertyDescriptorMap);
}
