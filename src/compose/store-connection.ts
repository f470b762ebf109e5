// Returns the location of the configured store.
// Invariant: separate from `compose.ts`, whose declarations must not mention the driver's types.
import type { Config } from "../config/settings.ts";
import { ConfigError } from "../errors.ts";
import type { StoreOptions } from "../store/open-store.ts";

type StoreLocation = Pick<Config, "databaseUrl" | "engineHost"> & Partial<Pick<Config, "dataDir">>;

/** Returns the server or the folder of the store. Throws ConfigError if neither is given. */
export function connectionOf({ databaseUrl, dataDir, engineHost }: StoreLocation): StoreOptions["connection"] {
  if (databaseUrl !== null) return { kind: "server", url: databaseUrl };
  if (dataDir !== undefined) return { kind: "embedded", folder: dataDir, host: engineHost };
  throw new ConfigError("Expected `dataDir` (a folder for the embedded store) or `databaseUrl`, got neither.");
}
