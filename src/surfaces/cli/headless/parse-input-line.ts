// Parses and validates one line of --input-format stream-json.
// Invariant: an error states the expected shape and quotes no part of the line.
import { streamInputSchema, type StreamInput } from "../../stream/headless/stream-input.ts";

export type ParsedLine =
  | { readonly type: "input"; readonly input: StreamInput }
  | { readonly type: "refused"; readonly problem: string };

const shapes =
  '{"type":"user","message":{"role":"user","content":"…"}}, {"type":"messages","messages":[{"role":"user","content":"…"}]} or {"type":"control_request","request_id":"…","request":{"subtype":"interrupt"}}';

export function parseInputLine(text: string): ParsedLine {
  const value = jsonOf(text);
  if (typeof value !== "object" || value === null) {
    return refused(`expected a JSON object, ${shapes}, got ${value === undefined ? "no JSON" : "another value"}`);
  }
  const parsed = streamInputSchema.safeParse(value);
  if (parsed.success) return { type: "input", input: parsed.data };
  const [issue] = parsed.error.issues;
  const place = issue?.path.map(String).join(".") ?? "";
  // For an unknown type, the message contains the expected shapes instead of the path.
  if (place === "type" || place === "") return refused(`expected ${shapes}: ${issue?.message ?? "another shape"}`);
  return refused(`${place}: ${issue?.message}`);
}

function refused(problem: string): ParsedLine {
  return { type: "refused", problem };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text, so only the fact is reported.
    return undefined;
  }
}
