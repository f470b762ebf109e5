// What a setting is: one entry with its form, its default, its words and its names. Everything else is derived from it.
// Invariant: nothing here loads zod: a form is a function that is given zod where a value is checked.
import type { z } from "zod";

export type Zod = typeof z;

/** What a value must be, for zod and for people. */
export interface Form<Type extends z.ZodType = z.ZodType> {
  readonly form: (z: Zod) => Type;
  /** In messages and in docs/configuration.md. */
  readonly expected: string;
}

/** What flags are about; help lists each group in one place. */
export type FlagGroup = "store" | "model" | "lookup" | "agent" | "limit" | "wait";

export interface SettingFlag<Name extends string = string> {
  /** Without dashes. */
  readonly name: Name;
  readonly short?: string;
  /** What stands for its value in help. */
  readonly value: string;
  /** `{default}` stands for the default. */
  readonly help: string;
  readonly group: FlagGroup;
}

/** The names of a setting besides its key, and how it is read. */
export interface SettingNames<FlagName extends string, OfAgent extends boolean> {
  readonly flag?: SettingFlag<FlagName>;
  /** Variables; the first that is set and not empty wins. */
  readonly environment?: readonly string[];
  readonly isSecret?: true;
  /** It is the key of this provider's, named as at the front of a model's name. */
  readonly keyOf?: string;
  /** Each agent has one of its own, which begins as the configuration has it. */
  readonly isOfAgent?: OfAgent;
  /** The text that stands for null. */
  readonly wordForNull?: string;
  /** The default as docs/configuration.md has it, where it depends on the machine. */
  readonly defaultText?: string;
}

export interface Setting<Value = unknown, FlagName extends string = string, OfAgent extends boolean = boolean>
  extends Form<z.ZodType<Value>>,
    SettingNames<FlagName, OfAgent> {
  readonly default: Value;
}

/** An entry of a table: the compiler holds the default against the form. */
export function setting<
  Type extends z.ZodType,
  const FlagName extends string = never,
  const OfAgent extends boolean = false,
>(
  entry: Form<Type> & SettingNames<FlagName, OfAgent> & { readonly default: NoInfer<z.output<Type>> },
): Setting<z.output<Type>, FlagName, OfAgent> {
  return entry as unknown as Setting<z.output<Type>, FlagName, OfAgent>;
}

export type Settings = Readonly<Record<string, Setting<unknown, string, boolean>>>;

/** The values of a table of settings, by their keys, with the comments of its entries. */
export type ValuesOf<Table extends Settings> = {
  readonly [Key in keyof Table]: Table[Key] extends Setting<infer Value, string, boolean> ? Frozen<Value> : never;
};

/** The names of a table's flags. */
export type FlagNameOf<Table extends Settings> = {
  [Key in keyof Table]: Table[Key] extends Setting<unknown, infer Name, boolean> ? Name : never;
}[keyof Table];

/** The keys of settings that each agent has of its own. */
export type AgentKeyOf<Table extends Settings> = {
  [Key in keyof Table]: Table[Key] extends Setting<unknown, string, infer OfAgent>
    ? [OfAgent] extends [true]
      ? Key
      : never
    : never;
}[keyof Table];

/** Readonly all the way down. */
type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Frozen<Value[Key]> }
    : Value;
