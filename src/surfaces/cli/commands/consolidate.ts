// `palimpsest consolidate`: operations that tidy memory, proposed by a model, reviewed by the user.
import { ConfigError } from "../../../base/errors.ts";
import { stripControl } from "../../../base/terminal-text.ts";
import { chooseRun } from "../../consolidation-choice.ts";
import { consolidationText, operationCounts } from "../../consolidation-text.ts";
import { type CommandCall, commandTable } from "../command.ts";
import { minute, tableText } from "../format/listing-texts.ts";
import { limitFlag } from "../parse/flag-values.ts";
import type { Consolidation } from "../runtime-records.ts";

const newestWaiting =
  "Without an id: the agent's newest consolidation with operations that wait, otherwise the newest.";

export const commands = commandTable({
  consolidate: {
    summary: "let a model propose how to tidy memory",
    details:
      "Reads what is new since the last run; if nothing calls for tidying, no model is called. Memory changes only when you\n" +
      "apply operations, unless the agent's setting consolidation is auto. Details: docs/consolidation.md.",
    flags: ["agent", "base-url", "openai-api", "json"],
    handlesAbort: true,
    async run(call) {
      const { consolidation } = await call.runtime();
      const run = await consolidation.run(call.agent, { signal: call.world.signal });
      return { json: run, text: run === null ? "Nothing calls for a consolidation: no model was called." : shown(run) };
    },
  },
  "consolidate list": {
    summary: "list consolidations, newest first",
    flags: ["agent", "limit", "json"],
    async run(call) {
      const runs = await (await call.runtime()).consolidation.list(call.agent, limitFlag(call.line));
      const heading = ["ID", "MADE (UTC)", "STATUS", "OPERATIONS", "MODEL"];
      return { json: runs, text: tableText(heading, runs.map(runRow), "Memory was never consolidated.") };
    },
  },
  "consolidate show": {
    usage: "[ID]",
    summary: "show a consolidation as a diff with its quotes",
    details: newestWaiting,
    flags: ["agent", "json"],
    async run(call) {
      const { consolidation, id } = await named(call, "show");
      const run = await consolidation.find(id);
      return { json: run, text: shown(run) };
    },
  },
  "consolidate apply": reviewCommand("apply"),
  "consolidate reject": reviewCommand("reject"),
  "consolidate undo": {
    usage: "[ID]",
    summary: "restore memory as it was before a consolidation",
    details: "Without an id: the agent's newest consolidation with applied operations.",
    flags: ["agent", "json"],
    async run(call) {
      const { consolidation, id } = await named(call, "undo");
      const run = await consolidation.undo(id);
      return { json: run, text: `Memory is as it was before the consolidation ${run.id}.` };
    },
  },
});

function reviewCommand(verb: "apply" | "reject") {
  return {
    usage: "[ID] [NUMBER ...]",
    summary: `${verb} operations of a consolidation`,
    details: `${newestWaiting}\nWithout numbers: all operations that wait.`,
    flags: ["agent", "json"],
    takes: { min: 0, max: 100 },
    async run(call: CommandCall) {
      const { consolidation, id, numbers } = await named(call, verb);
      const run = await consolidation[verb](id, numbers.length === 0 ? {} : { operations: numbers });
      return { json: run, text: shown(run) };
    },
  } as const;
}

function shown(run: Consolidation): string {
  return stripControl(consolidationText(run));
}

/** Returns the id and the operation numbers in the arguments. Without an id, chooses a consolidation for the verb. */
async function named({ words, agent, runtime }: CommandCall, verb: Parameters<typeof chooseRun>[2]) {
  const { consolidation } = await runtime();
  const isNumber = (word: string | undefined) => word !== undefined && /^[1-9]\d{0,2}$/u.test(word);
  const given = words[0] === undefined || isNumber(words[0]) ? undefined : words[0];
  const numbers = given === undefined ? words : words.slice(1);
  const wrong = numbers.find((word) => !isNumber(word));
  if (wrong !== undefined) throw new ConfigError(`Expected the number of an operation, 1 or more, got "${wrong}".`);
  const id = given ?? (await chooseRun(consolidation, agent, verb))?.id;
  if (id === undefined) throw new ConfigError(`The memory of "${agent}" was never consolidated.`);
  return { consolidation, id, numbers: numbers.map(Number) };
}

function runRow({ id, createdAt, status, operations, model }: Consolidation): readonly string[] {
  return [id, minute(createdAt), status, operationCounts(operations) || "none", model];
}
