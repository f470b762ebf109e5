// Exports the functions of zod that schemas of settings use.
// Invariant: only these functions are imported: zod as a whole, with its texts in 60 languages, would add 600 kB to the bundle.
import * as z from "zod";
import type { Zod } from "./settings/setting.ts";

export const zod: Zod = {
  array: z.array,
  enum: z.enum,
  nullable: z.nullable,
  number: z.number,
  preprocess: z.preprocess,
  record: z.record,
  strictObject: z.strictObject,
  string: z.string,
  union: z.union,
  url: z.url,
};
