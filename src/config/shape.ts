// The zod schemas of all settings.
// Invariant: imported only by code that validates values, because `--help` must not load zod. A schema is made when it is
// first read: few settings are set, and making all takes as long as loading zod.
import type * as z from "zod";
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

/** What a value must be: its schema, made when it is used, and the words of the error for any other value. */
export interface Rule {
  readonly form: () => z.ZodType;
  readonly expected: string;
}

export function ruleOf(setting: keyof Config): Rule {
  return { form: () => shape[setting], expected: settings[setting].expected };
}
