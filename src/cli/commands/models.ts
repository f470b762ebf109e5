// `palimpsest models`: which models can be named, and which of them are ready.
import type { Command } from "../command.ts";
import { printResult } from "../print.ts";
import { settingsOf } from "../setting-flags.ts";
import { tableText } from "../listing-texts.ts";

export const models: Command = {
  words: ["models"],
  usage: "",
  summary: "show how models are named and which keys are set",
  flags: ["model", "base-url", "embedding", "data-dir", "json"],
  takes: { least: 0, most: 0 },
  async run(call) {
    const settings = await call.world.settings(settingsOf(call.line));
    const forms = [
      { form: "demo", key: null, isKeySet: true, about: "pattern rules, not a language model; needs nothing" },
      {
        form: "anthropic/NAME",
        key: "ANTHROPIC_API_KEY",
        isKeySet: settings.hasAnthropicKey,
        about: "Claude, through Anthropic's API",
      },
      {
        form: "openai/NAME",
        key: "OPENAI_API_KEY",
        isKeySet: settings.hasOpenaiKey,
        about: "OpenAI, or any compatible server by --base-url",
      },
    ];
    const rows = forms.map(({ form, key, isKeySet, about }) => [
      form,
      key === null ? "-" : `${key} ${isKeySet ? "is set" : "is not set"}`,
      about,
    ]);
    const { model, baseUrl, embedding } = settings;
    const used = `New agents use ${model}${baseUrl === null ? "" : ` at ${baseUrl}`}, and archives ${embedding}.`;
    printResult(call, {
      json: { model, baseUrl, embedding, forms },
      text: `${tableText(["MODEL", "KEY", "WHAT"], rows, "")}\n\n${used}`,
    });
    return 0;
  },
};
