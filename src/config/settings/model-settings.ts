// Defines the settings of the model: its name, its server, its inputs and its prices.
import type { z } from "zod";
import { httpUrl, listOrText, nonBlank, oneOf, orNull } from "./forms.ts";
import { providerIds } from "./key-settings.ts";
import { flag, type Form, setting } from "./setting.ts";

const forms = ["demo", ...providerIds.map((id) => `${id}/NAME`)];
const prefixes = providerIds.map((id) => `${id}/`).join("|");

/** The name of a model: the demo model, a provider's model, or a GGUF file. */
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
    flag: { ...flag("model", "model", "MODEL", `${forms.join(", ")}, or PATH.gguf`), short: "m" },
    environment: ["PALIMPSEST_MODEL"],
  }),
  /** The URL of a server with the API of the model's provider; null for the provider's own. */
  baseUrl: setting({
    ...orNull(httpUrl),
    default: null,
    isOfAgent: true,
    flag: flag("model", "base-url", "URL", "a server with the API of the model's provider"),
    environment: ["PALIMPSEST_BASE_URL"],
  }),
  /**
   * The model servers (`baseUrl`) that a host's users may choose for their agents. `configured`: only the host's; `any`:
   * also others, which then receive the host's API key.
   */
  userModelServers: setting({
    ...oneOf("configured", "any"),
    default: "configured",
    environment: ["PALIMPSEST_USER_MODEL_SERVERS"],
  }),
  /**
   * The models that a host's users may choose beside the configured ones: names, or prefixes of names with `*`; null: any.
   * Agents keep the model that they have.
   */
  allowedModels: setting({
    form: (zod) => listOrText(zod, zod.array(nonBlank(zod)).nullable()),
    expected: 'names of models, such as openai/gpt-5-mini,anthropic/claude-*, "none" or "any"',
    default: null,
    wordForNull: "any",
    environment: ["PALIMPSEST_ALLOWED_MODELS"],
  }),
  /** The OpenAI API of a server; `auto`: `responses` at OpenAI's own address, `chat` at any other. */
  openaiApi: setting({
    ...oneOf("auto", "responses", "chat"),
    default: "auto",
    flag: flag("model", "openai-api", "API", "{default} (default), responses or chat"),
    environment: ["PALIMPSEST_OPENAI_API"],
  }),
  /** The kinds of files that models accept; null: as known for the provider's models. */
  modelInputs: setting({
    form: (zod) => listOrText(zod, zod.array(zod.enum(["image", "pdf", "audio"])).nullable()),
    expected: "auto, none, or any of image, pdf and audio, separated by commas",
    default: null,
    wordForNull: "auto",
    flag: flag("model", "model-inputs", "A,B", "image, pdf, audio: inputs of the model (default auto), or none"),
    environment: ["PALIMPSEST_MODEL_INPUTS"],
  }),
  /** How much models think before they reply; null: the provider's default. */
  effort: setting({
    ...orNull(oneOf("off", "low", "medium", "high")),
    default: null,
    isOfAgent: true,
    flag: flag(
      "model",
      "effort",
      "LEVEL",
      "how much the model thinks: off, low, medium, high (default: the provider's)",
    ),
    environment: ["PALIMPSEST_EFFORT"],
  }),
  /** The temperature of models; null: the provider's default. */
  temperature: setting({
    form: (zod) => zod.number().min(0).max(2).nullable(),
    expected: "a number from 0 to 2",
    default: null,
    isOfAgent: true,
    flag: flag("model", "temperature", "N", "from 0 to 2, for models that accept one (default: the provider's)"),
    environment: ["PALIMPSEST_TEMPERATURE"],
  }),
  /** Prices in dollars per million tokens, by model name or by prefix with `*`. They override the providers' list prices. */
  prices: setting({
    form: (zod) => {
      const price = zod.number().min(0).max(1_000_000);
      return zod.record(nonBlank(zod), zod.strictObject({ input: price, cachedInput: price, output: price }));
    },
    expected: '{"MODEL": {"input": DOLLARS, "cachedInput": DOLLARS, "output": DOLLARS}}, per million tokens',
    default: {},
  }),
};
