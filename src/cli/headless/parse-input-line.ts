// One line of --input-format stream-json, judged.
// Invariant: what is refused is told with what was expected, and without anything that the line says.
import { streamInputSchema, type StreamInput } from "../../headless/stream-input.ts";

export type ParsedLine =
  | { readonly type: "input"; readonly input: StreamInput }
  | { readonly type: "refused"; readonly problem: string };

const shapes =
  '{"type":"user","message":{"role":"user","content":"…"}} or {"type":"control_request","request_id":"…","request":{"subtype":"interrupt"}}';

export function parseInputLine(text: string): ParsedLine {
  const value = jsonOf(text);
  if (typeof value !== "object" || value === null) {
    return refused(`expected a JSON object, ${shapes}, got ${value === undefined ? "no JSON" : "another value"}`);
  }
  const parsed = streamInputSchema.safeParse(value);
  if (parsed.success) return { type: "input", input: parsed.data };
  const [issue] = parsed.error.issues;
  const place = issue?.path.map(String).join(".") ?? "";
  // Where the type itself is unknown, the shapes say more than the place.
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
    // Its message quotes the text; that it is no JSON is all there is to say.
    return undefined;
  }
}
