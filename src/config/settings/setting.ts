// Defines the type of a setting: its schema, default, descriptions and names.
// Invariant: this file does not import zod; `form` is a function that receives zod's functions when a value is validated.
import type { z } from "zod";

/** The functions of zod from which schemas of settings are created: `src/config/zod.ts`. */
export type Zod = Pick<
  typeof z,
  "array" | "enum" | "nullable" | "number" | "preprocess" | "record" | "strictObject" | "string" | "union" | "url"
>;

/** The allowed values, as a zod schema and as text. */
export interface Form<Type extends z.ZodType = z.ZodType> {
  readonly form: (z: Zod) => Type;
  /** The allowed values as text, for error messages and docs/configuration.md. */
  readonly expected: string;
}

/** The heading under which `--help` lists the flag. */
export type FlagGroup = "store" | "model" | "lookup" | "agent" | "limit" | "tools" | "wait";

export interface SettingFlag<Name extends string = string> {
  /** The flag's name without dashes. */
  readonly name: Name;
  readonly short?: string;
  /** The placeholder for the flag's value in `--help`. */
  readonly value: string;
  /** The description in `--help`; `{default}` is replaced by the default. */
  readonly help: string;
  readonly group: FlagGroup;
}

/** Returns a flag; the parameters are those of `SettingFlag`. */
export function flag<const Name extends string>(
  group: FlagGroup,
  name: Name,
  value: string,
  help: string,
): SettingFlag<Name> {
  return { group, name, value, help };
}

/** The flag and environment variables of a setting, and facts about its value. */
export interface SettingNames<FlagName extends string, OfAgent extends boolean> {
  readonly flag?: SettingFlag<FlagName>;
  /** Environment variables; the first that is set and not empty wins. */
  readonly environment?: readonly string[];
  readonly isSecret?: true;
  /** The provider to which this API key belongs: the prefix of its models' names. */
  readonly keyOf?: string;
  /** Whether each agent stores its own value, which a new agent copies from the configuration. */
  readonly isOfAgent?: OfAgent;
  /** A word that users can write instead of null. */
  readonly wordForNull?: string;
  /** The default as docs/configuration.md shows it, if the real default depends on the machine. */
  readonly defaultText?: string;
}

export interface Setting<Value = unknown, FlagName extends string = string, OfAgent extends boolean = boolean>
  extends Form<z.ZodType<Value>>,
    SettingNames<FlagName, OfAgent> {
  readonly default: Value;
}

/** Returns a setting as an entry of a table; the compiler checks its default against its schema. */
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

/** The values of the settings in a table, by key. A code editor shows the doc comment of a setting for its value as well. */
export type ValuesOf<Table extends Settings> = {
  readonly [Key in keyof Table]: Table[Key] extends Setting<infer Value, string, boolean> ? Frozen<Value> : never;
};

/** The names of a table's flags. */
export type FlagNameOf<Table extends Settings> = {
  [Key in keyof Table]: Table[Key] extends Setting<unknown, infer Name, boolean> ? Name : never;
}[keyof Table];

/** The keys of the settings that each agent stores. */
export type AgentKeyOf<Table extends Settings> = {
  [Key in keyof Table]: Table[Key] extends Setting<unknown, string, infer OfAgent>
    ? [OfAgent] extends [true]
      ? Key
      : never
    : never;
}[keyof Table];

/** A deeply readonly type. */
type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Frozen<Value[Key]> }
    : Value;
