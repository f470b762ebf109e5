// Recognizes errors by which providers report that a request exceeds the window. There is no common code, so this is a
// list of wordings, each observed; add new ones here and to the test.

const overflowCodes = new Set(["context_length_exceeded", "exceed_context_size_error", "request_too_large"]);

const overflowWordings: readonly RegExp[] = [
  // Anthropic
  /prompt is too long/i,
  /exceed context limit/i,
  // OpenAI (chat, then Responses), vLLM, DeepSeek, OpenRouter, Mistral, xAI
  /maximum context length/i,
  /exceeds the context window/i,
  /maximum prompt length/i,
  /longer than the maximum model length/i,
  // A request larger than the allowance of a whole minute: waiting does not help, shortening does.
  /request too large for .*must be reduced/i,
  // llama.cpp, Ollama, LM Studio
  /exceeds? the available context size/i,
  /exceed(?:s|ed) (?:the |max(?:imum)? )?context length/i,
  /(?:greater|loaded) (?:than|with) (?:the )?context length/i,
  // Gemini
  /exceeds the maximum number of tokens/i,
  // Bedrock, Groq, Copilot
  /input is too long for/i,
  /reduce the length of the (?:messages|prompt|input)/i,
  /prompt token count of \d+ exceeds/i,
];

// Where these wordings name the window: the number of a limit, not the one of the request.
const windowWordings: readonly RegExp[] = [
  /prompt is too long: [\d,]+ tokens > ([\d,]+) maximum/i,
  /exceed context limit: [\d,]+ \+ [\d,]+ > ([\d,]+)/i,
  /maximum (?:context|prompt|model) length (?:is|of) ([\d,]+)/i,
  /([\d,]+) maximum context length/i,
  /available context size \(([\d,]+) tokens\)/i,
  /context length of (?:only )?([\d,]+)/i,
  /maximum number of tokens allowed \(([\d,]+)\)/i,
  /prompt token count of [\d,]+ exceeds the limit of ([\d,]+)/i,
];

/** Returns the window in tokens that an error names; null if it names none. */
export function windowIn(text: string): number | null {
  const found = windowWordings.flatMap((wording) => wording.exec(text)?.[1] ?? []);
  return found[0] === undefined ? null : Number(found[0].replaceAll(",", ""));
}

/** Whether a refusal means that the request is longer than the model's window. */
export function isOverflow(text: string, codes: readonly string[]): boolean {
  return codes.some((code) => overflowCodes.has(code)) || overflowWordings.some((wording) => wording.test(text));
}
