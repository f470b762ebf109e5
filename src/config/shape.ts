// What each setting must be, for zod.
// Invariant: made once, where the first value is checked; the command line's help does without.
import { z } from "zod";
import { type Config, settingKeys, settings } from "./settings.ts";

type Shape = { readonly [Key in keyof Config]: z.ZodType<Config[Key]> };

export const shape = Object.fromEntries(settingKeys.map((key) => [key, settings[key].form(z)])) as unknown as Shape;
