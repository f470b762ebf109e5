// Defines the commands that list, show, add, change and remove records, such as `palimpsest identities`.
// Invariant: a topic's keys and values come from its contract; its other differences from other topics are in `recordTopics`.
import { given } from "../../base/given.ts";
import type { OptionsArgument } from "../../runtime/contract.ts";
import { type CommandCall, commandTable, type Command, type CommandEntry, type Result } from "./command.ts";
import { recordsText, recordText } from "./format/listing-texts.ts";
import { pairOptions } from "./parse/contract-options.ts";
import { limitFlag } from "./parse/flag-values.ts";
import { requireYes } from "./print.ts";
import { recordTopics, type RecordTopic } from "./topics.ts";

/** The operations that the commands call, for records of any topic. */
interface Operations {
  list(range: object): Promise<readonly Readonly<Record<string, unknown>>[]>;
  find(id: string): Promise<object>;
  create(options: object): Promise<object>;
  update(id: string, change: object): Promise<object>;
  delete(id: string): Promise<void>;
}

type Group = keyof typeof recordTopics;

export const commands: readonly Command[] = Object.entries<RecordTopic>(recordTopics).flatMap(([group, topic]) =>
  commandTable(commandsOf(group as Group, topic)),
);

function commandsOf(group: Group, { one, columns, ofShow, ofRemove, details }: RecordTopic) {
  const contract = async () => (await import("../../runtime/contracts.ts")).contracts[group];
  const created = async (): Promise<OptionsArgument> => (await contract()).create.args[0];
  const changed = async (): Promise<OptionsArgument> => (await contract()).update.args[1];
  const operations = async (call: CommandCall) => (await call.runtime())[group] as object as Operations;
  const shown = (record: object): Result => ({ json: record, text: recordText(record) });
  return {
    [`${group} list`]: {
      summary: `list ${group}, newest first`,
      flags: ["limit", "after", "json"],
      async run(call) {
        const { after } = call.line.texts;
        const records = await (await operations(call)).list({ limit: limitFlag(call.line), ...given({ after }) });
        return { json: records, text: recordsText(records, columns, `There are no ${group}.`) };
      },
    },
    [`${group} show`]: {
      usage: "ID",
      summary: `show ${one}${ofShow ?? ""}`,
      flags: ["json"],
      run: async (call, id) => shown(await (await operations(call)).find(id)),
    },
    [`${group} add`]: {
      usage: "KEY VALUE [KEY VALUE ...]",
      summary: `create ${one}`,
      ...given({ details }),
      flags: ["json"],
      takes: { min: 2, max: 100 },
      pairs: created,
      async run(call) {
        const options = pairOptions(call.words, await created());
        return shown(await (await operations(call)).create(options));
      },
    },
    [`${group} set`]: {
      usage: "ID KEY VALUE [KEY VALUE ...]",
      summary: `change ${one}`,
      flags: ["json"],
      takes: { min: 3, max: 100 },
      pairs: changed,
      async run(call, id) {
        const change = pairOptions(call.words.slice(1), await changed());
        return shown(await (await operations(call)).update(id, change));
      },
    },
    [`${group} remove`]: {
      usage: "ID --yes",
      summary: `delete ${one}${ofRemove ?? ""}`,
      flags: ["yes"],
      async run(call, id) {
        const noun = one.replace(/^an? /u, "");
        requireYes(call, `the ${noun} ${id}`);
        await (await operations(call)).delete(id);
        return { text: `Deleted the ${noun} ${id}.` };
      },
    },
  } satisfies Readonly<Record<string, CommandEntry>>;
}
