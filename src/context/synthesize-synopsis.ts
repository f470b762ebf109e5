// Asks a model for parts of a synopsis, from the memories that fit.
// Invariant: one request, whatever its outcome; the answer is validated as a whole: one invalid part invalidates all parts.
import { parseObject } from "../base/json-values.ts";
import { ModelError } from "../base/errors.ts";
import type { Model, ModelRequest } from "../model/llm/model.ts";
import type { SynopsisContents, SynopsisMemory, SynopsisPart } from "../store/port/synopsis-store.ts";
import { noUsage, type Usage } from "../base/message/message.ts";
import { loadPrompt } from "./prompts/load-prompt.ts";
import { takeTokens } from "./cut-text.ts";
import { outermostObject, readAnswer } from "./read-answer.ts";

/** Maximum tokens of memories in one request: the largest full history in MUXI's documentation. */
const maxMemoryTokens = 50_000;
/** Maximum share of the model's window for memories, and the share for the answer. */
const memoryShare = 1 / 2;
const answerShare = 1 / 8;
/** Tokens of each line besides the memory's text: its day and two quotation marks. */
const lineTokens = 12;

export interface ChosenMemories {
  /** Oldest first. */
  readonly memories: readonly SynopsisMemory[];
  /** Total tokens of the memories' texts. */
  readonly tokens: number;
}

export interface MemoryRoom {
  /** Size of the model's window, in counted tokens. */
  readonly windowTokens: number;
  readonly count: (text: string) => number;
}

/** Returns the first memories, as many as fit into a request. If not even one fits, returns the first one, cut. */
export function chooseMemories(
  memories: readonly SynopsisMemory[],
  { windowTokens, count }: MemoryRoom,
): ChosenMemories {
  const room = Math.min(maxMemoryTokens, Math.floor(windowTokens * memoryShare));
  const chosen: SynopsisMemory[] = [];
  let taken = 0;
  let tokens = 0;
  for (const memory of memories) {
    const content = chosen.length === 0 ? takeTokens(memory.content, room - lineTokens, count) : memory.content;
    const size = count(content);
    if (taken + size + lineTokens > room && chosen.length > 0) break;
    chosen.push({ ...memory, content });
    taken += size + lineTokens;
    tokens += size;
  }
  return { memories: chosen.toSorted((one, other) => one.at.getTime() - other.at.getTime()), tokens };
}

export interface SynopsisRequest {
  readonly model: Model;
  readonly parts: readonly SynopsisPart[];
  readonly memories: readonly SynopsisMemory[];
  readonly now: Date;
  /** JSON Schema of an answer with these parts. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Maximum tokens of the answer; fewer if the window is small. */
  readonly maxOutputTokens: number;
  /** Validates a part of an answer; returns null if its structure is wrong. */
  readonly read: <Part extends SynopsisPart>(part: Part, json: unknown) => SynopsisContents[Part] | null;
}

export type SynopsisAnswer =
  | { readonly type: "made"; readonly contents: Partial<SynopsisContents>; readonly usage: Usage }
  | { readonly type: "failed"; readonly reason: string; readonly usage: Usage };

/** Returns the synopsis, or why the model gave none. Throws only errors that do not come from the model. */
export async function synthesizeSynopsis(request: SynopsisRequest): Promise<SynopsisAnswer> {
  try {
    const { text, usage } = await readAnswer(request.model, synopsisRequest(request));
    const contents = contentsOf(outermostObject(text), request);
    if (contents !== null) return { type: "made", contents, usage };
    const reason = `expected a JSON object with the fields ${request.parts.join(" and ")} as the prompt describes them, got another answer from ${request.model.name}`;
    return { type: "failed", reason, usage };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { type: "failed", reason: error.message, usage: noUsage };
  }
}

function synopsisRequest({ model, parts, memories, now, schema, maxOutputTokens }: SynopsisRequest): ModelRequest {
  // Each memory is a line of JSON, so that a memory with line breaks cannot imitate several memories.
  const lines = memories.map(({ at, content }) => `${dayOf(at)} ${JSON.stringify(content)}`);
  const question = `Parts: ${parts.join(", ")}\nToday: ${dayOf(now)}\nMemories:\n${lines.join("\n")}`;
  return {
    system: { instructions: loadPrompt("synopsis"), memory: "" },
    messages: [{ role: "user", content: [{ type: "text", text: question }] }],
    tools: [],
    output: { name: "synopsis", schema },
    maxOutputTokens: Math.min(maxOutputTokens, Math.floor(model.contextWindow * answerShare)),
  };
}

function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** Returns the requested parts of the answer; null if one of them is missing or has the wrong structure. */
function contentsOf(text: string, { parts, read }: SynopsisRequest): Partial<SynopsisContents> | null {
  const answer = parseObject(text);
  const contents = parts.map((part) => [part, read(part, answer?.[part])] as const);
  return contents.every(([, content]) => content !== null) ? Object.fromEntries(contents) : null;
}
