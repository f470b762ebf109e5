// `palimpsest agents set`.
import { ConfigError } from "../../../base/errors.ts";
import type { Command, CommandCall } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { agentDetailShape } from "../format/listing-shapes.ts";
import { printResult } from "../print.ts";

export const agentsSet: Command = {
  words: ["agents", "set"],
  usage: "KEY VALUE [KEY VALUE ...]",
  summary: "change an agent's settings, name, description or tags",
  details:
    "Settings have their names of the configuration file: agents set -a ada compaction ring keepLast 20. A value is JSON\n" +
    "or plain text; none (or never) removes a limit. A change applies when the agent is next opened, not to a running chat.\n" +
    'Others are name, description, tags and metadata: agents set -a ada description "Plans trips" tags \'["travel"]\'.',
  flags: ["agent", "base-url", "openai-api", "json", ...storeFlags],
  takes: { min: 2, max: 100 },
  async run(call) {
    const given = Object.entries(settingsOf(call));
    const partOf = (isDetail: boolean) => given.filter(([key]) => details.includes(key) === isDetail);
    const { agents } = await call.runtime();
    const [set, described] = [partOf(false), partOf(true)];
    // The settings first: they are refused more often, and then nothing is changed.
    const updated = set.length === 0 ? null : await agents.update(call.agent, Object.fromEntries(set));
    const agent =
      updated !== null && described.length === 0
        ? updated
        : await agents.setDetails(call.agent, Object.fromEntries(described));
    const changed = given.map(([key]) => key).join(", ");
    printResult(call, { json: agentDetailShape(agent), text: `Changed ${changed} of "${agent.name}".` });
    return 0;
  },
};

/** What describes the agent; every other key is a setting. */
const details: readonly string[] = ["name", "description", "tags", "metadata"];

function settingsOf({ words }: CommandCall): Readonly<Record<string, unknown>> {
  if (words.length % 2 !== 0) {
    throw new ConfigError(
      `Expected pairs of KEY and VALUE, got ${words.length} words: ${words.at(-1)} has no value. Quote a text with spaces; name the agent with -a NAME.`,
    );
  }
  const keys = words.filter((_, at) => at % 2 === 0);
  const twice = keys.find((key, at) => keys.indexOf(key) < at);
  if (twice !== undefined) throw new ConfigError(`Expected each setting once, got ${twice} twice.`);
  return Object.fromEntries(keys.map((key, at) => [key, valueOf(words[2 * at + 1] ?? "")]));
}

/** Parses numbers, lists and objects; the settings validate the type afterwards. */
function valueOf(word: string): unknown {
  if (word === "none" || word === "never") return null;
  if (!/^[-\d[{]/u.test(word)) return word;
  try {
    return JSON.parse(word) as unknown;
  } catch {
    // Not JSON: plain text, such as a time zone that begins with a digit. The settings validate it.
    return word;
  }
}
