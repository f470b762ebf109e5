// Validates one line of an archive export, or of a file in that format.
// Invariant: the error for an invalid line contains field names, but no other text of the line.
import * as z from "zod";
import { acceptedTimes, isAcceptedTime } from "../../../base/calendar.ts";
import { given } from "../../../base/given.ts";
import { parseJson } from "../../../base/json-values.ts";
import type { PassageInput } from "../runtime-records.ts";

const expectedTime = `Expected ${acceptedTimes}, such as 2026-11-21T10:13:00Z`;

/** Fields of an export that an import ignores: passages get new ids, and their trust class is external. */
const known = { id: z.string(), origin: z.string(), trust: z.string(), replacedBy: z.string() };

const passage = z.strictObject({
  ...z.object(known).partial().shape,
  text: z.string().refine((text) => text.trim() !== "", "Expected some text, got a blank one"),
  tags: z.array(z.string().min(1)).optional(),
  kind: z.enum(["memory", "fact", "document"]).optional(),
  importance: z.number().min(0).max(1).optional(),
  at: z.iso
    .datetime({ offset: true, error: expectedTime })
    .refine((text) => isAcceptedTime(new Date(text)), expectedTime)
    .optional(),
});

export type PassageLine =
  | { readonly passage: PassageInput; readonly problem: null }
  | { readonly passage: null; readonly problem: string };

/** Returns the passage of a line, or the problem of an invalid line. Never throws. */
export function readPassageLine(line: string): PassageLine {
  const value = parseJson(line);
  if (value === undefined) return { passage: null, problem: "Expected a JSON object, got text that is not JSON" };
  const { data, error } = passage.safeParse(value);
  if (error !== undefined) return { passage: null, problem: error.issues.map(issueText).join("; ") };
  const { text, tags = [], kind = "memory", importance, at } = data;
  const time = at === undefined ? undefined : new Date(at);
  return { passage: given({ text, tags, kind, importance, at: time }), problem: null };
}

function issueText({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join(".")}: ${message}`;
}
