// Converts a request's `output`, the JSON Schema of the reply, to the format of OpenAI's two APIs.
import { toStrictJsonSchema } from "openai/lib/transform";
import type { OutputFormat } from "../model.ts";
import type { OpenAIRules } from "./openai-rules.ts";

interface WireFormat {
  readonly name: string;
  readonly schema: Record<string, unknown>;
  readonly strict: boolean;
}

/** Returns the format to send; undefined if the model has no structured outputs. */
export function wireFormat(
  { name, schema }: OutputFormat,
  { hasStructuredOutput }: OpenAIRules,
): WireFormat | undefined {
  if (!hasStructuredOutput) return undefined;
  try {
    return { name, schema: toStrictJsonSchema(schema) as Record<string, unknown>, strict: true };
  } catch {
    // A schema that the strict mode does not support, such as one with optional properties, only guides the model.
    return { name, schema, strict: false };
  }
}
