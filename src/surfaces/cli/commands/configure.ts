// `palimpsest configure`: chooses the model, tests it and saves it; flags for scripts skip the questions.
// Invariant: a choice that fails its test is not saved; the key is never printed.
import { ConfigError } from "../../../base/errors.ts";
import type { ModelChoice } from "../../../runtime/setup.ts";
import type { Command, CommandCall } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { notice, printText } from "../print.ts";
import { readInput } from "../parse/read-text.ts";
import { faultOfKey } from "../setup/key-fault.ts";
import type { Settings } from "../world.ts";
import { offerToChangeAgents } from "../setup/change-agents.ts";
import { runSetup, savedText } from "../setup/run-setup.ts";
import { isUsable, trialText } from "../setup/trial-text.ts";
import { settingsOf } from "../parse/setting-flags.ts";

export const configure: Command = {
  words: ["configure"],
  usage: "",
  summary: "choose the model, test it and save it",
  details:
    "Asks in a terminal. In scripts, --model, --base-url, --openai-api, --assist and --key-stdin set the choice without\n" +
    "questions. The model is tested with the prompt and the tools of an agent, and saved only if it calls one and a\n" +
    "conversation fits into its window. Without --base-url, it is the provider's own server.\n" +
    "--test calls the configured model, or the model of the flags, and saves nothing.",
  flags: ["model", "base-url", "openai-api", "assist", "key-stdin", "test", "config", "data-dir"],
  takes: { min: 0, max: 0 },
  async run(call) {
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
    printText(world, `Other agents keep their model: ${world.command} -a NAME -m MODEL changes one.`);
    return exitCodes.done;
  },
};

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

async function configureByFlags(call: CommandCall): Promise<number> {
  const { line, world } = call;
  const setup = await world.openSetup(settingsOf(line), (text) => notice(call, text));
  const choice = await choiceOf(call);
  const trial = await setup.test(choice, world.signal);
  const shorter = choice.assist === undefined ? " --assist on uses a short prompt for small models." : "";
  if (!isUsable(trial)) throw new ConfigError(`${choice.model}: ${trialText(trial)}${shorter} Nothing was saved.`);
  if (trial.fits === "barely") notice(call, `${trialText(trial)}${shorter}`);
  if (line.switches.has("test")) printText(world, `${choice.model} answers. Nothing was saved.`);
  else printText(world, savedText(choice, await setup.save(choice), world.command));
  return exitCodes.done;
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
  // A key is sent only to the server that it was entered for.
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
