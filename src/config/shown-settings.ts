// A configuration as it may be shown: every setting with its value and the place that the value comes from.
// Invariant: pure; nothing of a secret is in it but that it is set.
import type { ParsedConfig } from "../config.ts";
import type { Origin } from "./found-setting.ts";
import { settingKeys, settings } from "./settings.ts";

export interface ShownSetting {
  readonly key: string;
  /** As in a configuration file; of a secret `(set)`, or null. */
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

/** User, host and database; all that could hold a password otherwise is left out. */
export function shownConnection(url: string): string {
  // Wherever it is not certain where a password ends, nothing is shown.
  const pieces = /^([a-z]{1,20}:\/\/)(?:([^:@/?#]*)(?::[^@/?#]*)?(@))?([^@/?#]*(?:\/[^@?#]*)?)(?:[?#][^@]*)?$/u.exec(
    url,
  );
  if (pieces === null) return isSet;
  const [, scheme = "", user = "", at = "", place = ""] = pieces;
  return `${scheme}${user}${at}${place}`;
}
