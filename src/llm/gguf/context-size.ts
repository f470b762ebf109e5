// How many tokens the context of a model from a file has.
// Invariant: pure; never more than the model was trained with, since beyond that it writes nonsense without an error.
import type { GgufFile } from "./gguf-file.ts";

/** Where the file does not say what the model was trained with. */
const unknownTokens = 8192;
/** The least that is taken by itself; llama.cpp says so if not even this goes. */
const minTokens = 4096;
/** A context has a multiple of these. */
const tokenStep = 256;

export interface ContextRequest {
  /** Tokens; null: what the model was trained with, as far as memory allows. */
  readonly configured: number | null;
  /** Bytes of the machine. */
  readonly totalMemory: number;
}

/** Tokens. By itself, a model and its context take no more than half of the machine's memory. */
export function contextSizeOf(file: GgufFile, { configured, totalMemory }: ContextRequest): number {
  const trained = file.trainedTokens ?? unknownTokens;
  if (configured !== null) return Math.min(configured, file.trainedTokens ?? configured);
  if (file.tokenBytes === null) return Math.min(trained, unknownTokens);
  const room = Math.floor((totalMemory / 2 - file.bytes) / file.tokenBytes / tokenStep) * tokenStep;
  return Math.min(trained, Math.max(room, minTokens));
}
