// Describes Anthropic as a provider: its address, its list of models, and the inputs that these models accept.
import type { ModelProvider } from "../model-provider.ts";
import { anthropicIdentity } from "./anthropic-identity.ts";
import { claudeRules } from "./claude-rules.ts";

// Claude 2 and earlier accept only text; Claude 3 accepts images, and from 3.5 on also PDF.
const textOnly = /^claude-(?:[12]|instant)/;
const withoutPdf = /^claude-3-(?:opus|sonnet|haiku)/;

export const anthropicProvider: ModelProvider = {
  ...anthropicIdentity,
  namesOfModels: /^claude-/u,
  about: "Claude, through Anthropic's API",
  offer: "Claude, with an Anthropic API key.",
  keyPage: "https://console.anthropic.com/settings/keys",
  listing: {
    // The SDK appends `/v1` to the base URL. The listing is fetched without the SDK, so this path contains `/v1`.
    path: "/v1/models?limit=1000",
    headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  },
  statesWindows: true,
  defaultWindow: 200_000,
  inputsOf(model) {
    if (textOnly.test(model)) return [];
    return withoutPdf.test(model) ? ["image"] : ["image", "pdf"];
  },
  hasStructuredOutput: (model) => claudeRules(model).hasStructuredOutput,
  async load(options) {
    const { createAnthropicModel } = await import("./anthropic-model.ts");
    return createAnthropicModel(options);
  },
};
