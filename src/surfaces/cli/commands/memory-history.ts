// `palimpsest memory history`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { revisionShape } from "../format/listing-shapes.ts";
import { changeLines, minute, trustText } from "../format/listing-texts.ts";
import { coreModule } from "../parse/named-module.ts";
import { limitFlag } from "../parse/number-flag.ts";
import { printResult } from "../print.ts";
import type { Revision } from "../runtime-records.ts";

export const memoryHistory: Command = {
  words: ["memory", "history"],
  usage: "[LABEL]",
  summary: "show the edits of core memory, newest first",
  flags: ["agent", "limit", "json", ...storeFlags],
  takes: { min: 0, max: 1 },
  async run(call) {
    const [label] = call.words;
    const limit = limitFlag(call.line);
    const changes = await (await call.runtime()).memory.revisions(call.agent, {
      limit,
      ...(label === undefined ? {} : { label }),
    });
    if (label !== undefined && changes.length === 0) await coreModule(call, label);
    printResult(call, {
      json: changes.map(revisionShape),
      text: changes.length === 0 ? "There are no edits yet." : changes.map(changeText).join("\n\n"),
    });
    return 0;
  },
};

function changeText(change: Revision): string {
  const cause = change.toolName === null ? `by ${change.origin}` : `by ${change.origin}, ${change.toolName}`;
  const undone = change.undoes === null ? "" : `, reverts revision ${change.undoes}`;
  const outside = trustText(change.trust, change.external);
  const trust = outside === "" ? "" : `, ${outside}`;
  const head = `${minute(change.at)}  ${change.label}, revision ${change.revision}, ${cause}${trust}${undone}`;
  return [head, ...changeLines(change.before, change.after)].join("\n");
}
