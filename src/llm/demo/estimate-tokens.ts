// Token counts as the stand-in reports them: an estimate by length, the same for the same request.
// Invariant: linear and deterministic; a character outside ASCII counts as a token, four inside as one.
import { type ContentPart, filesOf } from "../../message.ts";
import { fileNote } from "../../file-part.ts";
import type { ModelRequest } from "../model.ts";

/** An estimate of the tokens of a text, on the high side. */
export function estimateTokens(text: string): number {
  let wide = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) > 0x7f) wide += 1;
  }
  return Math.ceil((text.length - wide) / 4) + wide;
}

/** An estimate of the tokens of a request: a quarter of its characters, its tools and its end included. */
export function estimateRequest(request: ModelRequest): number {
  const { system, messages, tools, retrieved = "", state = "" } = request;
  const parts = messages.flatMap((message) => message.content);
  const characters = parts.reduce((sum, part) => sum + lengthOf(part), 0);
  const prompt = system.instructions.length + system.memory.length + JSON.stringify(tools).length;
  return Math.ceil((prompt + characters + retrieved.length + state.length) / 4);
}

/** Of a file, what it is named by: the stand-in sees no more of it. */
function lengthOf(part: ContentPart): number {
  const notes = filesOf({ content: [part] }).reduce((sum, file) => sum + fileNote(file).length, 0);
  if (part.type === "file") return notes;
  return part.type === "tool-call" ? part.name.length + part.arguments.length : part.text.length + notes;
}
