// `palimpsest models`: lists supported models and embedders, and whether each is ready.
import { nameCommand } from "../../../base/started-command.ts";
import type { EmbedderChoice } from "../../../runtime/embedder-choice.ts";
import type { Command } from "../command.ts";
import { notice, printResult } from "../print.ts";
import type { KnownWindow } from "../../../runtime/setup.ts";
import { numberText, windowSourceText } from "../../../base/window-words.ts";
import { settingsOf } from "../parse/setting-flags.ts";
import { modelAtText, tableText } from "../format/listing-texts.ts";

export const models: Command = {
  words: ["models"],
  usage: "",
  summary: "list models and embedders, and what each one needs",
  flags: ["model", "base-url", "embedding", "config", "data-dir", "json"],
  takes: { min: 0, max: 0 },
  async run(call) {
    const settings = await call.world.settings(settingsOf(call.line));
    const forms = [
      {
        form: "demo",
        key: null,
        isKeySet: true,
        package: null,
        isInstalled: true,
        about: "pattern rules, not a language model; needs nothing",
      },
      ...settings.providers.map(({ id, keyVariable, hasKey, about }) => ({
        form: `${id}/NAME`,
        key: keyVariable,
        isKeySet: hasKey,
        package: null,
        isInstalled: true,
        about,
      })),
      {
        form: "PATH.gguf",
        key: null,
        isKeySet: true,
        package: "node-llama-cpp",
        isInstalled: settings.hasLlama,
        about: "a model in a file, run locally by llama.cpp",
      },
    ];
    const rows = forms.map((model) => [model.form, needsText(model), model.about]);
    const { model, baseUrl, embedding } = settings;
    const setup = await call.world.openSetup(settingsOf(call.line), (line) => notice(call, line));
    const window = await setup.window();
    const used = `New agents use ${modelAtText(model, baseUrl)}, and archives ${embedding}.${windowText(window)}`;
    const embedders = await call.world.embedders(settingsOf(call.line));
    printResult(call, {
      json: { model, baseUrl, window, embedding, forms, embedders },
      text: [
        tableText(["MODEL", "NEEDS", "WHAT"], rows, ""),
        nameCommand(embeddersText(embedders), call.world.command),
        used,
      ].join("\n\n"),
    });
    return 0;
  },
};

function windowText(window: KnownWindow | null): string {
  if (window === null) return "";
  const source = windowSourceText(window.from);
  return ` The window of that model has ${numberText(window.tokens)} tokens${source === "" ? "" : `, ${source}`}.`;
}

interface Needs {
  readonly key: string | null;
  readonly isKeySet: boolean;
  readonly package: string | null;
  readonly isInstalled: boolean;
}

function needsText({ key, isKeySet, package: name, isInstalled }: Needs): string {
  if (key !== null) return `${key} ${isKeySet ? "is set" : "is not set"}`;
  return name === null ? "-" : `${name} ${isInstalled ? "is installed" : "is not installed"}`;
}

function embeddersText(embedders: readonly EmbedderChoice[]): string {
  const rows = embedders.map(({ name, dimensions, windowTokens, isRemote, needs, isReady, isUsed }) => [
    isUsed ? `${name} (used)` : name,
    dimensions?.toLocaleString("en-US") ?? "-",
    windowTokens?.toLocaleString("en-US") ?? "-",
    isRemote ? "a server" : "this machine",
    isReady ? "yes" : "no",
    needs ?? "nothing",
  ]);
  const note = "`palimpsest doctor` reports what the used embedder lacks.";
  const table = tableText(["EMBEDDING", "WIDTH", "WINDOW", "RUNS ON", "READY", "NEEDS"], rows, "");
  return embedders.some(({ isUsed, isReady }) => isUsed && !isReady) ? `${table}\n${note}` : table;
}
