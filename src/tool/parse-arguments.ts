// From the JSON text that a model wrote to an object of arguments.
// Invariant: arguments that were cut off are never completed by guessing: a tool runs on what was meant or not at all.
import { jsonrepair } from "jsonrepair";
import { ToolError } from "../errors.ts";

export interface ArgumentsText {
  readonly toolName: string;
  readonly text: string;
  /** The reply was cut off (length, broken stream), so its last call may be incomplete. */
  readonly cut: boolean;
}

/**
 * Throws ToolError when the text is no JSON object. Small mistakes (trailing commas, single quotes, raw newlines)
 * are repaired, but only in text that is whole: it opens and closes its object and the reply was not cut.
 */
export function parseArguments({ toolName, text, cut }: ArgumentsText): Readonly<Record<string, unknown>> {
  const trimmed = text.trim();
  if (trimmed === "") return {};
  const parsed = parseJson(trimmed) ?? (cut || !isEnclosed(trimmed) ? undefined : repairJson(trimmed));
  if (parsed === undefined) {
    const reason = cut ? "the reply was cut off" : "it is not valid JSON";
    throw new ToolError(
      `Error parsing JSON for function '${toolName}' arguments: ${reason}. Nothing was done. Got: ${clip(text)}`,
    );
  }
  const { value } = parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ToolError(
      `Error parsing JSON for function '${toolName}' arguments: expected an object, got ${clip(trimmed)}. Nothing was done.`,
    );
  }
  return value as Record<string, unknown>;
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function repairJson(text: string): { readonly value: unknown } | undefined {
  try {
    return parseJson(jsonrepair(text));
  } catch {
    return undefined;
  }
}

function isEnclosed(text: string): boolean {
  return text.startsWith("{") && text.endsWith("}");
}

function clip(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200).toWellFormed()}…` : text;
}
