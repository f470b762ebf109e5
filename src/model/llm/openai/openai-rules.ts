// Returns the request options that a model of OpenAI accepts, by the model's name. Sources (platform.openai.com):
// "Reasoning models", "Prompt caching", "Structured outputs".
// Invariant: requests to other servers contain only options that every server with the same API accepts.
import type { ReasoningEffort } from "openai/resources/shared";
import type { Effort } from "../model.ts";
import { thinkingTokens } from "../wire/thinking.ts";

const named = /^(?:ft:)?(?:o(?<series>\d)|gpt-(?<version>[5-9](?:\.\d+)?))(?<variant>-[a-z]+)?/u;

type Word = NonNullable<ReasoningEffort>;

export interface OpenAIRules {
  /** Whether the API accepts a key that routes the requests of a conversation to the same prompt cache. */
  readonly hasCacheKey: boolean;
  /** Whether the API can ensure that a reply's text matches a JSON Schema. */
  readonly hasStructuredOutput: boolean;
  readonly reasons: boolean;
  /** The least effort that the model accepts; null: its effort cannot be set. */
  readonly least: Word | null;
  /** Whether Chat Completions refuses a request with tools to this model, unless the request turns reasoning off. */
  readonly answersOnlyInChat: boolean;
  /** Whether the server refuses replies in the history without `reasoning_content` (DeepSeek, "Thinking mode"). */
  readonly requiresThoughts: boolean;
  /** Whether the server refuses calls in the history without a signature (Gemini 3, "Thought signatures"). */
  readonly requiresSignatures: boolean;
}

/** The rules of other servers, whose models are unknown. */
export const otherRules: OpenAIRules = {
  hasCacheKey: false,
  hasStructuredOutput: false,
  reasons: false,
  least: null,
  answersOnlyInChat: false,
  requiresThoughts: false,
  requiresSignatures: false,
};

const withoutReasoning: OpenAIRules = { ...otherRules, hasCacheKey: true, hasStructuredOutput: true };

/** Matches the models without structured outputs: older models, and models for audio and for searches. */
const withoutStructuredOutput =
  /^(?:ft:)?(?:gpt-3|gpt-4(?![.o])|gpt-4o-2024-05|chatgpt|o1-(?:mini|preview))|audio|search/u;

/** Whether an address belongs to OpenAI or Azure, which have the same models. */
export function isOpenAIHost(baseUrl: string | null | undefined): boolean {
  return /(^|\.)(openai|azure)\.com$/.test(hostOf(baseUrl));
}

function hostOf(baseUrl: string | null | undefined): string {
  return typeof baseUrl === "string" && URL.canParse(baseUrl) ? new URL(baseUrl).hostname : "api.openai.com";
}

/** Returns the rules of a model. `model`: the API's name. `baseUrl`: the model's server, unless it is OpenAI's own. */
export function openaiRules(model: string, baseUrl?: string | null): OpenAIRules {
  if (!isOpenAIHost(baseUrl)) {
    const host = hostOf(baseUrl);
    const requiresThoughts = /(^|\.)deepseek\.com$/.test(host);
    const requiresSignatures = /(^|\.)googleapis\.com$/.test(host) && /gemini-(?:[3-9]|\d{2})/.test(model);
    return { ...otherRules, requiresThoughts, requiresSignatures };
  }
  return { ...reasoningRules(model), hasStructuredOutput: !withoutStructuredOutput.test(model) };
}

function reasoningRules(model: string): OpenAIRules {
  const { series, version, variant } = named.exec(model)?.groups ?? {};
  if (series !== undefined) {
    const isFixed = variant === "-preview" || (series === "1" && variant === "-mini");
    return { ...withoutReasoning, reasons: true, least: isFixed ? null : "low" };
  }
  if (version === undefined || (version === "5" && variant === "-chat")) return withoutReasoning;
  const number = Number(version);
  return { ...withoutReasoning, reasons: true, least: leastOf(number, variant), answersOnlyInChat: number >= 5.2 };
}

function leastOf(version: number, variant: string | undefined): Word | null {
  if (variant === "-pro" || variant === "-chat") return null;
  if (variant === "-codex") return "low";
  return version === 5 ? "minimal" : "none";
}

/** Returns the API's word for an effort; undefined leaves the effort to the model. */
export function effortWord(effort: Effort | undefined, { least }: OpenAIRules): Word | undefined {
  if (effort === undefined || least === null) return undefined;
  return effort === "off" ? least : effort;
}

/** Returns the tokens for reasoning to add to the limit of the answer. */
export function reasoningTokens(word: Word | undefined, { reasons }: OpenAIRules): number {
  if (!reasons || word === "none") return 0;
  return word === "low" || word === "minimal" ? thinkingTokens.low : thinkingTokens[word === "medium" ? word : "high"];
}

/** Whether a request with this effort may have a temperature. */
export function takesTemperature(word: Word | undefined, { reasons }: OpenAIRules): boolean {
  return !reasons || word === "none";
}
