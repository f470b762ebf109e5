// The parameters that several routes of `/api` have.
// Invariant: a handler gets a number of a query as a number; an unknown parameter is refused.
import * as z from "zod";

export const agentPath = z.strictObject({ agent: z.string().describe("The name or the id of an agent.") });
export const conversationPath = agentPath.extend({ conversation: z.uuid() });

export const queryNumber = z.coerce.number<string>().int().min(0);
export const queryFlag = z.enum(["true", "false"]).transform((text) => text === "true");
export const queryTexts = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => (typeof given === "string" ? [given] : given));
