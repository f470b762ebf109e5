// What a model can be sent besides text, by what its provider says of it.
// Invariant: pure; what is configured wins where the adapter can send it, and a model that nothing is known of is sent text alone.
import type { Config } from "../config/settings.ts";
import type { ModelInput } from "../message/file-part.ts";

type Inputs = readonly ModelInput[];

// OpenAI's that see nothing, and its only ones that hear: those by their names, and by Chat Completions.
const openaiTextOnly = /^openai\/(?:ft:)?(?:gpt-3\.5|gpt-4(?![\w.]|-turbo)|gpt-4-(?:0|32k)|o1-mini|o1-preview|o3-mini)/;
const openaiAudio = /^openai\/(?:ft:)?gpt-(?:4o-(?:mini-)?)?audio/;
// Claude 2 and before saw nothing; Claude 3 sees images, and PDF from 3.5 on.
const claudeTextOnly = /^anthropic\/claude-(?:[12]|instant)/;
const claudeWithoutPdf = /^anthropic\/claude-3-(?:opus|sonnet|haiku)/;

export function modelInputsOf(config: Pick<Config, "modelInputs" | "baseUrl">, model: string): Inputs {
  // Its adapter sends text, whatever the model could see.
  if (model.startsWith("gguf/")) return [];
  if (config.modelInputs !== null) return config.modelInputs;
  if (model.startsWith("anthropic/")) {
    if (claudeTextOnly.test(model)) return [];
    return claudeWithoutPdf.test(model) ? ["image"] : ["image", "pdf"];
  }
  // Of a compatible server's models nobody knows what they see, and one that does not refuses the whole request.
  if (!model.startsWith("openai/") || config.baseUrl !== null || openaiTextOnly.test(model)) return [];
  return openaiAudio.test(model) ? ["audio"] : ["image", "pdf"];
}
