// `palimpsest configure`, `models` and `config show`: choose the model, list models, and show settings.
// Invariant: no choice that fails its test is saved. No key is printed. Only an offer to change agents opens a store.
import { ConfigError } from "../../../base/errors.ts";
import { nameCommand } from "../../../base/started-command.ts";
import { numberText, windowSourceText } from "../../../base/window-words.ts";
import type { EmbedderChoice } from "../../../runtime/embedder-choice.ts";
import type { KnownWindow, ModelChoice } from "../../../runtime/setup.ts";
import { type CommandCall, commandTable, type Result } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { modelAtText, tableText } from "../format/listing-texts.ts";
import { settingsOf } from "../parse/flag-values.ts";
import { creationFlags, settingFlags, toolFlags } from "../parse/flags.ts";
import { readInput } from "../parse/read-text.ts";
import { isYes, notice } from "../print.ts";
import { faultOfKey } from "../setup/ask-keyed.ts";
import { listedNames } from "../setup/pick-model.ts";
import type { Questions } from "../setup/questions.ts";
import { runSetup, savedText } from "../setup/run-setup.ts";
import { isUsable, trialText } from "../setup/try-choice.ts";
import type { Settings, ShownSetting } from "../world.ts";

export const commands = commandTable({
  configure: {
    summary: "choose the model, test it and save it",
    details:
      "Asks in a terminal. In scripts, --model, --base-url, --openai-api, --assist and --key-stdin set the choice without\n" +
      "questions. The model is tested with the prompt and the tools of an agent, and saved only if it calls a tool and a\n" +
      "conversation fits into its window. Without --base-url, the provider's own server is used.\n" +
      "--test calls the configured model, or the model of the flags, and saves nothing.",
    flags: ["model", "base-url", "openai-api", "assist", "key-stdin", "test", "config", "data-dir"],
    withoutStore: true,
    run: configure,
  },
  models: {
    summary: "list models and embedders, and what each one needs",
    flags: ["model", "base-url", "embedding", "config", "data-dir", "json"],
    withoutStore: true,
    run: listModels,
  },
  "config show": {
    summary: "show every setting with its value and where it is set",
    details:
      "A value comes from a flag, the environment, the configuration file (with the file's own key) or the\n" +
      "default. Flags of this command are taken into account.",
    flags: [
      "json",
      ...creationFlags.filter((name) => settingFlags.some((other) => other === name)),
      "wait",
      ...toolFlags,
    ],
    async run(call) {
      const { file, settings } = await call.world.configuration(settingsOf(call.line));
      const rows = settings.map((setting) => [setting.key, originText(setting), valueText(setting)]);
      const heading = file === null ? "No configuration file was read." : `Configuration file: ${file}`;
      return {
        json: { file, settings },
        text: `${heading}\n\n${tableText(["SETTING", "FROM", "VALUE"], rows, "")}`,
      };
    },
  },
});

async function configure(call: CommandCall): Promise<Result | number> {
  const { line, world } = call;
  if (scripted.some((flag) => line.given.has(flag))) return configureByFlags(call);
  if (!world.isAttended) {
    throw new ConfigError(
      "configure needs a terminal to ask questions. In a script: `palimpsest configure --model MODEL`, with --base-url URL for a server, and --key-stdin to read a key from standard input.",
    );
  }
  const former = await world.settings(settingsOf(line));
  const choice = await runSetup(call, {
    introduction: `${await currentModelText(call)}\n\nWhich model should new agents use?`,
    isFirstRun: false,
    afterwards: (questions, chosen) => offerToChangeAgents(call, questions, { former, choice: chosen }),
  });
  if (choice === null) return exitCodes.interrupted;
  return { text: `Other agents keep their model: ${world.command} -a NAME -m MODEL changes one.` };
}

const scripted = ["model", "base-url", "openai-api", "assist", "key-stdin", "test"] as const;

async function currentModelText(call: CommandCall): Promise<string> {
  const flags = settingsOf(call.line);
  const { model, baseUrl, providers } = await call.world.settings(flags);
  const { file } = await call.world.configuration(flags);
  const keys = providers.filter(({ hasKey }) => hasKey).map(({ brand }) => `${brand}'s`);
  return [
    `Now: ${model}${baseUrl === null ? "" : ` at ${baseUrl}`}. Keys that are set: ${keys.length === 0 ? "none" : keys.join(" and ")}.`,
    file === null ? "There is no configuration file yet." : `Configuration file: ${file}`,
  ].join("\n");
}

/** The model that was configured before the choice. */
type FormerModel = Pick<Settings, "model" | "baseUrl">;

/** Offers to give the chosen model to the agents that still use the former one. Agents of other users are not touched. */
async function offerToChangeAgents(
  call: CommandCall,
  questions: Questions,
  { former, choice }: { readonly former: FormerModel; readonly choice: ModelChoice },
): Promise<void> {
  const { model, baseUrl, assist } = choice;
  const { agents, userId } = await call.runtime();
  const own = (await agents.list()).filter(({ ownerId }) => ownerId === userId);
  const using = own.filter((agent) => agent.model === former.model && agent.settings.baseUrl === former.baseUrl);
  if (using.length === 0 || (model === former.model && baseUrl === former.baseUrl)) return;
  const names = listedNames(using.map(({ name }) => name));
  const they = using.length === 1 ? `The agent ${names} still uses` : `${using.length} agents still use`;
  questions.say(`\n${they} ${former.model}${using.length === 1 ? "" : `: ${names}`}.`);
  const answer = await questions.ask(`y gives ${using.length === 1 ? "it" : "them"} ${model}, Enter changes nothing: `);
  if (!isYes(answer)) return;
  for (const { name } of using) {
    await agents.setModel(name, model, { baseUrl });
    if (assist !== undefined) await agents.update(name, { assist });
  }
  questions.say(`Changed ${names}.`);
}

async function configureByFlags(call: CommandCall): Promise<Result> {
  const { line, world } = call;
  const setup = await world.openSetup(settingsOf(line), (text) => notice(call, text));
  const choice = await choiceOf(call);
  const trial = await setup.test(choice, world.signal);
  const shorter = choice.assist === undefined ? " --assist on uses a short prompt for small models." : "";
  if (!isUsable(trial)) throw new ConfigError(`${choice.model}: ${trialText(trial)}${shorter} Nothing was saved.`);
  if (trial.fits === "barely") notice(call, `${trialText(trial)}${shorter}`);
  if (line.switches.has("test")) return { text: `${choice.model} answers. Nothing was saved.` };
  return { text: savedText(choice, await setup.save(choice), world.command) };
}

async function choiceOf(call: CommandCall): Promise<ModelChoice> {
  const { line, world } = call;
  const { model: named, "base-url": address } = line.texts;
  const { model, baseUrl, providers } = await world.settings(settingsOf(line));
  const { model: _model, "base-url": _address, ...others } = settingsOf(line);
  const before = await world.settings(others);
  const place = named === undefined || address !== undefined ? baseUrl : null;
  const assist = line.texts["assist"] === "on" ? ({ assist: "on" } as const) : {};
  const chosen = { model, baseUrl: place, ...assist };
  if (line.switches.has("key-stdin")) return { ...chosen, key: await readKey(call, { model, providers }) };
  // The stored key is not kept for another server: a key is sent only to the server that it was entered for.
  const isElsewhere = place !== null && place !== before.baseUrl;
  return { ...chosen, key: { kind: isElsewhere ? "none" : "kept" } };
}

async function readKey(
  { world }: CommandCall,
  { model, providers }: Pick<Settings, "model" | "providers">,
): Promise<ModelChoice["key"]> {
  if (!providers.some(({ id }) => model.startsWith(`${id}/`))) {
    const forms = providers.map(({ id }) => `${id}/NAME`).join(" or ");
    throw new ConfigError(`--key-stdin: ${model} needs no key. Omit the flag, or choose --model ${forms}.`);
  }
  const text = (await readInput(world.stdin, world.signal)).trim();
  const fault =
    text === ""
      ? "Expected a key on standard input, got nothing. Pipe the key into `palimpsest configure --key-stdin`."
      : faultOfKey(text);
  if (fault !== null) throw new ConfigError(`--key-stdin: ${fault}`);
  return { kind: "new", text };
}

async function listModels(call: CommandCall): Promise<Result> {
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
  const used = `New agents use the model ${modelAtText(model, baseUrl)} and the embedder ${embedding}.${windowText(window)}`;
  const embedders = await call.world.embedders(settingsOf(call.line));
  return {
    json: { model, baseUrl, window, embedding, forms, embedders },
    text: [
      tableText(["MODEL", "NEEDS", "WHAT"], rows, ""),
      nameCommand(embeddersText(embedders), call.world.command),
      used,
    ].join("\n\n"),
  };
}

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

function valueText({ value }: ShownSetting): string {
  if (value === null) return "-";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function originText({ from }: ShownSetting): string {
  return from.kind === "default" ? "default" : `${from.kind}: ${from.name}`;
}
