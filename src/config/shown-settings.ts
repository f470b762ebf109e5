// Returns a configuration for display: every setting with its value and the place where it was set.
// Invariant: pure; a secret is shown only as set or not set.
import type { ParsedConfig } from "./config.ts";
import type { Origin } from "./file-values.ts";
import { settingKeys, settings } from "./settings.ts";

export interface ShownSetting {
  readonly key: string;
  /** The value as in a configuration file; for a secret, `(set)` or null. */
  readonly value: unknown;
  readonly from: Origin;
}

export function shownSettings({ config, found }: Pick<ParsedConfig, "config" | "found">): readonly ShownSetting[] {
  return settingKeys.map((key) => {
    const { isSecret = false, from = { kind: "default" } as const } = found.get(key) ?? {};
    return { key, value: shownValue(key, config[key], isSecret), from };
  });
}

const isSet = "(set)";
const connections: ReadonlySet<string> = new Set(["databaseUrl", "migrationUrl"]);

function shownValue(key: keyof typeof settings, value: unknown, isSecret: boolean): unknown {
  if (value === null) return null;
  if (isSecret) return isSet;
  if (connections.has(key)) return typeof value === "string" ? shownConnection(value) : isSet;
  if (settings[key].isSecret === true) return isSet;
  return value;
}

/** Returns the URL with user, host and database, without its password and query. */
export function shownConnection(url: string): string {
  // If it is not certain where the password ends, the URL is not shown at all.
  const pieces = /^([a-z]{1,20}:\/\/)(?:([^:@/?#]*)(?::[^@/?#]*)?(@))?([^@/?#]*(?:\/[^@?#]*)?)(?:[?#][^@]*)?$/u.exec(
    url,
  );
  if (pieces === null) return isSet;
  const [, scheme = "", user = "", at = "", place = ""] = pieces;
  return `${scheme}${user}${at}${place}`;
}
