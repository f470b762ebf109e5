// Writes errors in the form of RFC 9457, for the project's own APIs: `/api` and `/api/chat`.
import * as z from "zod";
import type { ReportedDetails } from "../../base/errors.ts";
import type { Fault } from "./fault.ts";

const count = z.int().min(0);
const detailShapes = {
  edits: z
    .array(
      z.strictObject({ label: z.string(), revisions: z.array(count).readonly(), later: z.array(count).readonly() }),
    )
    .readonly(),
  limit: z.enum(["daily-tokens", "daily-dollars", "concurrent-turns"]),
  provider: z.string(),
  status: count,
} satisfies { [Name in keyof ReportedDetails]-?: z.ZodType<ReportedDetails[Name]> };

export const problemShape = z.strictObject({
  type: z.literal("about:blank"),
  title: z.string(),
  status: z.int().min(0),
  detail: z.string(),
  code: z.string(),
  requestId: z.string(),
  errors: z.array(z.strictObject({ field: z.string(), message: z.string() })).optional(),
  details: z.strictObject(detailShapes).partial().optional(),
});

export const problems = { type: "application/problem+json", schema: problemShape } as const;

export type Problem = z.output<typeof problemShape>;

export function problemOf({ status, code, message, fields, details }: Fault, requestId: string): Problem {
  return {
    type: "about:blank",
    title: code.replaceAll("_", " "),
    status,
    detail: message,
    code,
    requestId,
    ...(fields.length === 0 ? {} : { errors: [...fields] }),
    ...(Object.keys(details).length === 0 ? {} : { details }),
  };
}
