// Defines how the page shows and edits a setting: its label, help, default and control.
// Invariant: a choice has a word for each value that the setting can have, which the compiler checks.
import type { AgentSettings } from "../../../store/port/records.ts";

/** A unit of shown numbers. `scale`: the shown number for a stored 1, such as 100 for a share in percent. */
export interface Unit {
  readonly one: string;
  readonly many?: string;
  readonly scale?: number;
}

/** A duration, whose unit the user chooses. */
export interface Duration {
  /** The length of the stored unit in seconds. */
  readonly seconds: 1 | 60;
  /** A word before the duration, such as `After`. */
  readonly before?: string;
}

/** A number of a setting: the whole value, or a part of it. */
export interface Amount {
  /** The keys that lead to the number within the value; empty if the number is the value. */
  readonly path: readonly string[];
  readonly label: string;
  readonly unit: Unit | Duration;
  /** What an absent number means, such as `no limit`; if it is undefined, the number is required. */
  readonly none?: string;
}

/** Numbers: one that is the value, or parts of the value. */
export interface AmountsControl {
  readonly kind: "amounts";
  readonly amounts: readonly Amount[];
  /** The text for a default of more than three numbers. */
  readonly same?: string;
  /** The expected value in words, if the server's error describes it as JSON. */
  readonly expected?: string;
}

export interface ChoiceControl<Value = unknown> {
  readonly kind: "choice";
  readonly words: { readonly [Word in Value & string]: string };
  /** The word for null, if the setting can be null. */
  readonly none?: string;
}

export type Control<Value = unknown> =
  | { readonly kind: "switch"; readonly on: Value; readonly off: Value }
  | ChoiceControl<Value>
  | AmountsControl
  | { readonly kind: "text"; readonly suggests: Suggestions; readonly none?: string }
  /** A text of several lines, shown by its length. */
  | { readonly kind: "prose" }
  /** Names, separated by commas. */
  | { readonly kind: "names"; readonly none: string }
  /** Rules, each edited in a row and shown as a sentence. */
  | { readonly kind: "rules"; readonly none: string; readonly expected: string }
  /** Names of tools, which the user changes in the view of the tools. */
  | { readonly kind: "tools"; readonly none: string };

export type Suggestions = "models" | "zones" | "nothing";

export interface SettingEntry<Value = unknown> {
  readonly label: string;
  readonly help: string;
  readonly control: Control<Value>;
  /** The default that ships with the program; undefined if it depends on the machine. */
  readonly default: Value | undefined;
}

/** The settings of a group, by their keys. */
export type SettingGroup<Key extends keyof AgentSettings = keyof AgentSettings> = {
  readonly [Each in Key]: SettingEntry<AgentSettings[Each]>;
};

/** Returns the control of a number. `none`: what null means; absent if the number is required. */
export function amount(unit: Unit | Duration, none?: string): AmountsControl {
  return { kind: "amounts", amounts: [{ path: [], label: "", unit, ...(none === undefined ? {} : { none }) }] };
}

/** Returns an entry; its type comes from the setting. `fallback`: the default. */
export function entry<Value>(
  label: string,
  help: string,
  control: Control<NoInfer<Value>>,
  fallback: NoInfer<Value> | undefined,
): SettingEntry<Value> {
  return { label, help, control, default: fallback };
}

export function part(label: string, path: string, unit: Unit | Duration): Amount {
  return { path: path.split("."), label, unit };
}

export function limit(label: string, path: string, unit: Unit): Amount {
  return { ...part(label, path, unit), none: "no limit" };
}

/** Returns the control of a setting with two values, of which `on` is the one that does more. */
export function toggle<Value>(on: NoInfer<Value>, off: NoInfer<Value>): Control<Value> {
  return { kind: "switch", on, off };
}

/** Returns the control of a setting with few values. `none`: the word for null; absent if the setting cannot be null. */
export function choice<Value>(words: ChoiceControl<NoInfer<Value>>["words"], none?: string): Control<Value> {
  return { kind: "choice", words, ...(none === undefined ? {} : { none }) };
}

export const units = {
  percent: { one: "%", many: "%", scale: 100 },
  tokens: { one: "token" },
  messages: { one: "message" },
  characters: { one: "character" },
  dollars: { one: "dollar" },
  days: { one: "day" },
  megabytes: { one: "megabyte" },
  weight: { one: "", many: "" },
  second: { seconds: 1 },
} as const satisfies Readonly<Record<string, Unit | Duration>>;
