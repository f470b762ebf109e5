// What is known of OpenAI and its models before one is called, and of servers that speak its API.
import { type ModelProvider, openaiListing } from "../model-provider.ts";
import { openaiIdentity } from "./openai-identity.ts";

// Those that see nothing, and the only ones that hear: those by their names, and by Chat Completions.
const textOnly = /^(?:ft:)?(?:gpt-3\.5|gpt-4(?![\w.]|-turbo)|gpt-4-(?:0|32k)|o1-mini|o1-preview|o3-mini)/;
const audio = /^(?:ft:)?gpt-(?:4o-(?:mini-)?)?audio/;

export const openaiProvider: ModelProvider = {
  ...openaiIdentity,
  about: "OpenAI, or any compatible server by --base-url",
  offer: "OpenAI, with an API key.",
  keyPage: "https://platform.openai.com/api-keys",
  listing: openaiListing,
  defaultWindow: 128_000,
  inputsOf(model, isElsewhere) {
    // Of a compatible server's models nobody knows what they see, and one that does not refuses the whole request.
    if (isElsewhere || textOnly.test(model)) return [];
    return audio.test(model) ? ["audio"] : ["image", "pdf"];
  },
  async load({ openaiApi, ...options }) {
    const { createOpenAIModel } = await import("./openai-model.ts");
    // Compatible servers speak Chat Completions; few of them speak Responses.
    const automatic = options.baseUrl === undefined ? "responses" : "chat";
    return createOpenAIModel({ ...options, api: openaiApi === "auto" ? automatic : openaiApi });
  },
};
