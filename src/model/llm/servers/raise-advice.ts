// Advice on how to increase a model's window, with the commands of the program that serves it.
import type { ServerProgram } from "./model-profile.ts";

/** Returns a sentence that says how to set a model's window to at least this size. */
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
