// Creates the zod schemas of all settings, and converts texts to values of settings.
// Invariant: imported only by code that validates values, because `--help` must not load zod. A schema is created when it is
// first read: few settings are set, and creating all schemas takes as long as loading zod. A text that cannot be converted
// is passed to the schema, which rejects it.
import * as z from "zod";
import { type Config, settingKeys, settings } from "./settings.ts";
import { zod } from "./zod.ts";

type Shape = { readonly [Key in keyof Config]: z.ZodType<Config[Key]> };

export const shape = Object.defineProperties(
  {},
  Object.fromEntries(settingKeys.map((key) => [key, madeOnce(key)])),
) as Shape;

function madeOnce(key: keyof Config): PropertyDescriptor {
  let form: z.ZodType | undefined;
  return { enumerable: true, get: () => (form ??= settings[key].form(zod)) };
}

/** The rule for a value: its schema, created on first use, and the description of allowed values for error messages. */
export interface Rule {
  readonly form: () => z.ZodType;
  readonly expected: string;
}

export function ruleOf(setting: keyof Config): Rule {
  return { form: () => shape[setting], expected: settings[setting].expected };
}

export function valueOf(key: keyof Config, text: string): unknown {
  const form = withoutNull(shape[key]);
  return form instanceof z.ZodNumber && /^\d+(\.\d+)?$/u.test(text) ? Number(text) : text;
}

function withoutNull(form: z.ZodType): unknown {
  return form instanceof z.ZodNullable ? form.unwrap() : form;
}

/** Returns whether the value is this setting's word for null, such as `never`. The value null counts as absent. */
export function isWordForNull(key: keyof Config, value: unknown): boolean {
  const { wordForNull } = settings[key];
  return wordForNull !== undefined && wordForNull === value;
}
