// The zod schemas of all settings.
// Invariant: imported only by code that validates values, because `--help` must not load zod.
import type * as z from "zod";
import { type Config, settingKeys, settings } from "./settings.ts";
import { zod } from "./zod.ts";

type Shape = { readonly [Key in keyof Config]: z.ZodType<Config[Key]> };

export const shape = Object.fromEntries(settingKeys.map((key) => [key, settings[key].form(zod)])) as unknown as Shape;
