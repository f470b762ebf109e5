// The part of zod that settings describe their values with.
// Invariant: passing zod as a whole would put all of it, with its texts in 60 languages, into the bundle: 600 kB.
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
