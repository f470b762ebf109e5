// Types of the changes to a configuration file and its secrets file.
// Invariant: types only.
import type { Config } from "./settings.ts";

/** Settings with their new values, by flat key; null removes the key from the file. */
export type SettingValues = Readonly<Partial<Record<keyof Config, string | null>>>;

export interface SecretSetting {
  readonly key: keyof Config;
  readonly name: string;
}

export interface SettingChanges {
  readonly values: SettingValues;
  /** A new secret, and the setting that refers to it. */
  readonly secret: (SecretSetting & { readonly text: string }) | null;
  /** A setting to remove from the file, but only if its value is just a reference to this secret. */
  readonly dropped: SecretSetting | null;
}

export interface SavedChanges {
  readonly file: string;
  /** Null if no secret was written. */
  readonly secretsFile: string | null;
  /** What happened to the setting in `dropped` of the changes. `absent`: the file has no such setting, or `dropped` is null. */
  readonly dropped: "absent" | "removed" | "kept";
}
