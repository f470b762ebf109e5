// The parameters that several routes of `/api` have.
// Invariant: a number in a query is a number for its handler; an unknown parameter is refused.
import * as z from "zod";
import { sentTime } from "../wire-time.ts";

export const agentPath = z.strictObject({ agent: z.string().describe("The name or the id of an agent.") });
export const modulePath = agentPath.extend({ label: z.string() });
export const conversationPath = agentPath.extend({ conversation: z.uuid() });
export const turnPath = conversationPath.extend({ turn: z.uuid() });
export const callPath = conversationPath.extend({ call: z.string() });

export const queryNumber = z.coerce.number<string>().int().min(0);
export const queryFlag = z.enum(["true", "false"]).transform((text) => text === "true");
export const queryTexts = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => (typeof given === "string" ? [given] : given));

export const limitQuery = z.strictObject({ limit: queryNumber.optional() });
/** Selects a page of a list by the id of an item. */
export const listQuery = limitQuery.extend({
  order: z.enum(["oldest", "newest"]).optional(),
  after: z.uuid().optional(),
  before: z.uuid().optional(),
});
export const pageQuery = z.strictObject({ page: queryNumber.optional(), pageSize: queryNumber.optional() });

export const passageBody = z.strictObject({
  text: z.string(),
  tags: z.array(z.string()).optional(),
  kind: z.enum(["memory", "fact", "document"]).optional(),
  importance: z.number().optional(),
  at: sentTime().optional(),
});

/** Returns an object without the fields that are undefined, for options in which an absent field has a default. */
export function given<Options extends object>(
  options: Options,
): { [Key in keyof Options]: Exclude<Options[Key], undefined> } {
  const fields = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields) as { [Key in keyof Options]: Exclude<Options[Key], undefined> };
}
