// Chooses the context size of a model from a file.
// Invariant: pure; never more than the model was trained with, because beyond that it writes nonsense without an error.
import type { GgufFile } from "./gguf-file.ts";

/** Used if the file does not specify the trained size. */
const unknownTokens = 8192;
/** Minimum of an automatic size; llama.cpp reports an error if memory does not suffice for it. */
const minTokens = 4096;
/** A context size is a multiple of this. */
const tokenStep = 256;

export interface ContextRequest {
  /** Tokens; null: the trained size, as far as memory allows. */
  readonly configured: number | null;
  /** Total memory of the machine in bytes. */
  readonly totalMemory: number;
}

/** Returns tokens. An automatic size keeps model and context within half of the machine's memory. */
export function contextSizeOf(file: GgufFile, { configured, totalMemory }: ContextRequest): number {
  const trained = file.trainedTokens ?? unknownTokens;
  if (configured !== null) return Math.min(configured, file.trainedTokens ?? configured);
  if (file.tokenBytes === null) return Math.min(trained, unknownTokens);
  const room = Math.floor((totalMemory / 2 - file.bytes) / file.tokenBytes / tokenStep) * tokenStep;
  return Math.min(trained, Math.max(room, minTokens));
}
