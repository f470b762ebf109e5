// Describes OpenAI and compatible servers as a provider: address, list of models, and the inputs that the models accept.
import { type ModelProvider, openaiListing } from "../model-provider.ts";
import { openaiIdentity } from "./openai-identity.ts";
import { openaiRules } from "./openai-rules.ts";

// Models that accept text and nothing else.
const textOnly = /^(?:ft:)?(?:gpt-3\.5|gpt-4(?![\w.]|-turbo)|gpt-4-(?:0|32k)|o1-mini|o1-preview|o3-mini)/;
// The only models that accept audio, and only by Chat Completions.
const audio = /^(?:ft:)?gpt-(?:4o-(?:mini-)?)?audio/;

export const openaiProvider: ModelProvider = {
  ...openaiIdentity,
  namesOfModels: /^(?:gpt|chatgpt|o\d)(?:-|$)/u,
  about: "OpenAI, or any compatible server by --base-url",
  offer: "OpenAI, with an API key.",
  keyPage: "https://platform.openai.com/api-keys",
  listing: openaiListing,
  statesWindows: false,
  defaultWindow: 128_000,
  inputsOf(model, isElsewhere) {
    // No inputs are assumed for a compatible server: if it does not accept one, it refuses the whole request.
    if (isElsewhere || textOnly.test(model)) return [];
    return audio.test(model) ? ["audio"] : ["image", "pdf"];
  },
  hasStructuredOutput: (model, baseUrl) => openaiRules(model, baseUrl).hasStructuredOutput,
  async load({ openaiApi, ...options }) {
    const { createOpenAIModel } = await import("./openai-model.ts");
    // Compatible servers implement Chat Completions; few of them implement Responses.
    const automatic = options.baseUrl === undefined ? "responses" : "chat";
    return createOpenAIModel({ ...options, api: openaiApi === "auto" ? automatic : openaiApi });
  },
};
