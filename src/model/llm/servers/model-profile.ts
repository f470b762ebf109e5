// What a server says of one of its models: its window, the longest reply, and what it can do.
// Invariant: null means that the server does not say; nothing is concluded from a name.

/** `true` and `false` as the server says. */
export interface ModelAbilities {
  readonly tools: boolean | null;
  readonly images: boolean | null;
  readonly thinking: boolean | null;
  /** Returns vectors instead of texts. */
  readonly embeddings: boolean | null;
}

/** A program whose answers name it. */
export type ServerProgram = "Ollama" | "LM Studio" | "llama.cpp" | "vLLM";

export interface ModelProfile {
  /** Tokens of request and reply together. */
  readonly window: number | null;
  /** The window to count with if nothing else is known, because the server chooses it when it loads the model. */
  readonly assumedWindow: number | null;
  readonly maxOutputTokens: number | null;
  readonly abilities: ModelAbilities;
  readonly program: ServerProgram | null;
}

export const unknownAbilities: ModelAbilities = { tools: null, images: null, thinking: null, embeddings: null };

/** Windows outside these bounds are mistakes. */
export const windowBounds = { min: 256, max: 100_000_000 } as const;
