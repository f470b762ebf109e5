// The settings of the model: which one it is, where it is asked, and what it can be sent.
import type { z } from "zod";
import { httpUrl, nonBlank, oneOf, orNull } from "./forms.ts";
import { providerIds } from "./key-settings.ts";
import { type Form, setting } from "./setting.ts";

const forms = ["demo", ...providerIds.map((id) => `${id}/NAME`)];
const prefixes = providerIds.map((id) => `${id}/`).join("|");

/** The name of a model: a built-in one, one of a provider's, or a file. */
export const modelName: Form<z.ZodString> = {
  form: (zod) =>
    zod.string().regex(new RegExp(`^(?:demo|(?:${prefixes})\\S+|(?!${prefixes})\\P{Cc}+\\.(?:gguf|GGUF))$`, "u")),
  expected: `${forms.map((form) => `"${form}"`).join(", ")} or a path that ends in .gguf`,
};

export const modelSettings = {
  /** `demo`, `anthropic/NAME`, `openai/NAME`, or the path of a GGUF file, which ends in `.gguf`. */
  model: setting({
    ...modelName,
    expected: `${modelName.expected} (for any compatible server: openai/NAME with --base-url)`,
    default: "demo",
    flag: { name: "model", short: "m", value: "MODEL", help: `${forms.join(", ")}, or PATH.gguf`, group: "model" },
    environment: ["PALIMPSEST_MODEL"],
  }),
  /** Of a server that speaks the API of the model's provider; null for the provider's own. */
  baseUrl: setting({
    ...orNull(httpUrl),
    default: null,
    isOfAgent: true,
    flag: {
      name: "base-url",
      value: "URL",
      help: "a server that speaks the API of the model's provider",
      group: "model",
    },
    environment: ["PALIMPSEST_BASE_URL"],
  }),
  /** Which of OpenAI's APIs a server speaks; `auto`: `responses` at OpenAI's own address, `chat` at any other. */
  openaiApi: setting({
    ...oneOf("auto", "responses", "chat"),
    default: "auto",
    flag: { name: "openai-api", value: "API", help: "{default} (default), responses or chat", group: "model" },
    environment: ["PALIMPSEST_OPENAI_API"],
  }),
  /** What models can be sent besides text; null: what is known of the provider's. */
  modelInputs: setting({
    form: (zod) => zod.array(zod.enum(["image", "pdf", "audio"])).nullable(),
    expected: "auto, none, or any of image, pdf and audio, separated by commas",
    default: null,
    wordForNull: "auto",
    flag: {
      name: "model-inputs",
      value: "A,B",
      help: "image, pdf, audio: what the model can be sent (default auto), or none",
      group: "model",
    },
    environment: ["PALIMPSEST_MODEL_INPUTS"],
  }),
  /** Dollars per million tokens, by a model's name or by the beginning of names and a `*`. None is built in. */
  prices: setting({
    form: (zod) => {
      const price = zod.number().min(0).max(1_000_000);
      return zod.record(nonBlank(zod), zod.strictObject({ input: price, cachedInput: price, output: price }));
    },
    expected: '{"MODEL": {"input": DOLLARS, "cachedInput": DOLLARS, "output": DOLLARS}}, per million tokens',
    default: {},
  }),
};
