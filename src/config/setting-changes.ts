// What is to be changed in a configuration file, and in the file of secrets beside it.
// Invariant: types only.
import type { Config } from "./settings.ts";

/** Flat keys with their values; null takes one away. */
export type SettingValues = Readonly<Partial<Record<keyof Config, string | null>>>;

/** A setting that refers to a secret. */
export interface SecretSetting {
  readonly key: keyof Config;
  /** The secret's name. */
  readonly name: string;
}

export interface SettingChanges {
  readonly values: SettingValues;
  /** A new secret, with the setting that refers to it. */
  readonly secret: (SecretSetting & { readonly text: string }) | null;
  /** A setting that is taken away if all that it does is to refer to this secret. */
  readonly dropped: SecretSetting | null;
}

/** What was written where. */
export interface SavedChanges {
  readonly file: string;
  /** Null when no secret was written. */
  readonly secretsFile: string | null;
  /** How `dropped` went; `absent` also when there was none. */
  readonly dropped: "absent" | "taken away" | "left";
}
