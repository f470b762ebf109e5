// Defines the profile of a model: the window, the longest reply and the abilities that its server states. `raiseAdvice`
// returns advice on how to give the model a larger window.
// Invariant: null means that the server does not state a fact; nothing is inferred from a name.

/** Abilities as the server states them; null for an ability that it does not state. */
export interface ModelAbilities {
  readonly tools: boolean | null;
  readonly images: boolean | null;
  readonly thinking: boolean | null;
  /** Whether the model returns vectors instead of texts. */
  readonly embeddings: boolean | null;
}

/** A server program that can be identified by its answers. */
export type ServerProgram = "Ollama" | "LM Studio" | "llama.cpp" | "vLLM";

export interface ModelProfile {
  /** Tokens of request and reply together. */
  readonly window: number | null;
  /** The window to assume if no other is known, because the server chooses the window when it loads the model. */
  readonly assumedWindow: number | null;
  readonly maxOutputTokens: number | null;
  readonly abilities: ModelAbilities;
  readonly program: ServerProgram | null;
}

export const unknownAbilities: ModelAbilities = { tools: null, images: null, thinking: null, embeddings: null };

/** A window outside these bounds, in tokens, is a mistake. */
export const windowBounds = { min: 256, max: 100_000_000 } as const;

/** Returns a sentence that says how to set a model's window to at least this size, with the commands of its server. */
export function raiseAdvice(program: ServerProgram | null, model: string, tokens: number): string {
  const advice = program === null ? undefined : advices[program];
  return advice?.(model, tokens) ?? `Start the server with a window of at least ${tokens} tokens.`;
}

const advices: Readonly<Record<ServerProgram, (model: string, tokens: number) => string>> = {
  Ollama: (model, tokens) =>
    `Start Ollama with OLLAMA_CONTEXT_LENGTH=${tokens} ollama serve, or only for this model: ollama run ${model}, then /set parameter num_ctx ${tokens} and /save NAME.`,
  "LM Studio": (model, tokens) => `Load the model with lms load ${model} --context-length ${tokens}.`,
  "llama.cpp": (_model, tokens) => `Start the server with --ctx-size ${tokens}.`,
  vLLM: (_model, tokens) => `Start the server with --max-model-len ${tokens}.`,
};
