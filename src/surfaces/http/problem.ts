// Errors in the form of RFC 9457, for the project's own doors.
import * as z from "zod";
import type { Fault } from "./fault.ts";

export const problemShape = z.strictObject({
  type: z.literal("about:blank"),
  title: z.string(),
  status: z.int().min(0),
  detail: z.string(),
  code: z.string(),
  requestId: z.string(),
  errors: z.array(z.strictObject({ field: z.string(), message: z.string() })).optional(),
});

export const problems = { type: "application/problem+json", schema: problemShape } as const;

export function problemOf({ status, code, message, fields }: Fault, requestId: string): z.output<typeof problemShape> {
  const problem = {
    type: "about:blank" as const,
    title: code.replaceAll("_", " "),
    status,
    detail: message,
    code,
    requestId,
  };
  return fields.length === 0 ? problem : { ...problem, errors: [...fields] };
}
