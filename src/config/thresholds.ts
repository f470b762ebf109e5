// Checks the settings that decide when a window is compacted against each other.
// Invariant: pure, and without schemas: a configuration is checked before the rest of the program is loaded.
import { ConfigError } from "../base/errors.ts";
import type { Config } from "./settings.ts";

export type ThresholdSettings = Pick<Config, "warnAt" | "compactAt" | "compactMessages" | "keepLast">;

/** Throws ConfigError for settings that contradict each other; `nameOf` returns their names for the message. */
export function checkThresholds(
  { warnAt, compactAt, compactMessages, keepLast }: ThresholdSettings,
  nameOf: (key: keyof ThresholdSettings) => string = (key) => key,
): void {
  if (warnAt > compactAt) {
    throw new ConfigError(
      `${nameOf("warnAt")}: expected at most ${nameOf("compactAt")} (${compactAt}), so that the warning comes first, got ${warnAt}.`,
    );
  }
  if (compactMessages !== null && compactMessages <= keepLast) {
    throw new ConfigError(
      `${nameOf("compactMessages")}: expected more than ${nameOf("keepLast")} (${keepLast}), so that there is something to summarize, got ${compactMessages}.`,
    );
  }
}
