// `palimpsest consolidate`: operations that tidy memory, proposed by a model, reviewed by the user.
import { ConfigError } from "../../../base/errors.ts";
import { stripControl } from "../../../base/terminal-text.ts";
import { consolidationText } from "../../consolidation-text.ts";
import { type CommandCall, commandTable } from "../command.ts";
import { minute, tableText } from "../format/listing-texts.ts";
import { limitFlag } from "../parse/flag-values.ts";
import type { Consolidation } from "../runtime-records.ts";

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
    usage: "ID",
    summary: "show a consolidation as a diff with its quotes",
    flags: ["json"],
    async run(call, id) {
      const run = await (await call.runtime()).consolidation.find(id);
      return { json: run, text: shown(run) };
    },
  },
  "consolidate apply": {
    usage: "ID [NUMBER ...]",
    summary: "apply proposed operations; default all",
    flags: ["json"],
    takes: { min: 1, max: 100 },
    async run(call, id) {
      const run = await (await call.runtime()).consolidation.apply(id, reviewed(call));
      return { json: run, text: shown(run) };
    },
  },
  "consolidate reject": {
    usage: "ID [NUMBER ...]",
    summary: "reject proposed operations; default all",
    flags: ["json"],
    takes: { min: 1, max: 100 },
    async run(call, id) {
      const run = await (await call.runtime()).consolidation.reject(id, reviewed(call));
      return { json: run, text: shown(run) };
    },
  },
  "consolidate undo": {
    usage: "ID",
    summary: "restore memory as it was before a consolidation",
    flags: ["json"],
    async run(call, id) {
      const run = await (await call.runtime()).consolidation.undo(id);
      return { json: run, text: `Memory is as it was before the consolidation ${run.id}.` };
    },
  },
});

function shown(run: Consolidation): string {
  return stripControl(consolidationText(run));
}

/** Returns the options of a review: the numbers of operations that follow the id. */
function reviewed({ words }: CommandCall): { readonly operations?: readonly number[] } {
  const numbers = words.slice(1);
  const wrong = numbers.find((word) => !/^[1-9]\d{0,2}$/u.test(word));
  if (wrong !== undefined) throw new ConfigError(`Expected the number of an operation, 1 or more, got "${wrong}".`);
  return numbers.length === 0 ? {} : { operations: numbers.map(Number) };
}

function runRow({ id, createdAt, status, operations, model }: Consolidation): readonly string[] {
  return [id, minute(createdAt), status, String(operations.length), model];
}
