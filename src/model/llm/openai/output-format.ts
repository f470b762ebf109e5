// The form of a reply in the words of OpenAI's two APIs.
import { toStrictJsonSchema } from "openai/lib/transform";
import type { OutputFormat } from "../model.ts";
import type { OpenAIRules } from "./openai-rules.ts";

interface WireFormat {
  readonly name: string;
  readonly schema: Record<string, unknown>;
  readonly strict: boolean;
}

/** Returns undefined if the model has no structured outputs. */
export function wireFormat(
  { name, schema }: OutputFormat,
  { hasStructuredOutput }: OpenAIRules,
): WireFormat | undefined {
  if (!hasStructuredOutput) return undefined;
  try {
    return { name, schema: toStrictJsonSchema(schema) as Record<string, unknown>, strict: true };
  } catch {
    // A schema with more than the strict form has, such as optional properties, only guides the model.
    return { name, schema, strict: false };
  }
}
