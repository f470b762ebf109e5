// Repairs the JSON of a call's arguments when a reply arrives, so that all readers of the stored call read what the tool was
// given.
// Invariant: only an object whose end was written is repaired, because a repair would also complete JSON that was cut off.
import { jsonrepair } from "jsonrepair";
import { parseJson } from "../base/json-values.ts";

/**
 * Returns the arguments of a complete reply with small mistakes repaired (trailing commas, single quotes, raw newlines), and
 * `{}` for a text without any. A text that is valid or cannot be repaired is returned unchanged.
 */
export function repairArguments(text: string): string {
  if (parseJson(text) !== undefined) return text;
  const trimmed = text.trim();
  if (trimmed === "") return "{}";
  const isEnclosed = trimmed.startsWith("{") && trimmed.endsWith("}");
  return isEnclosed ? (repaired(trimmed) ?? text) : text;
}

function repaired(text: string): string | null {
  try {
    const json = jsonrepair(text);
    return parseJson(json) === undefined ? null : json;
  } catch {
    return null;
  }
}
