// Changes to make to a configuration file and its secrets file.
// Invariant: types only.
import type { Config } from "./settings.ts";

/** Flat keys with their new values; null removes a key. */
export type SettingValues = Readonly<Partial<Record<keyof Config, string | null>>>;

export interface SecretSetting {
  readonly key: keyof Config;
  readonly name: string;
}

export interface SettingChanges {
  readonly values: SettingValues;
  /** A new secret, and the setting that refers to it. */
  readonly secret: (SecretSetting & { readonly text: string }) | null;
  /** A setting to remove if its value is only a reference to this secret. */
  readonly dropped: SecretSetting | null;
}

export interface SavedChanges {
  readonly file: string;
  /** Null if no secret was written. */
  readonly secretsFile: string | null;
  /** What happened to the setting in `dropped`; `absent` also if there was nothing to remove. */
  readonly dropped: "absent" | "removed" | "kept";
}
