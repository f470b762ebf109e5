// `palimpsest archival list`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { passagesShape } from "../format/listing-shapes.ts";
import { indent, minute, passageCount, tagText, trustText } from "../format/listing-texts.ts";
import { limitFlag } from "../parse/number-flag.ts";
import { printResult } from "../print.ts";
import type { PassagePage } from "../runtime-records.ts";

export const archivalList: Command = {
  words: ["archival", "list"],
  usage: "",
  summary: "list the passages of an agent's archive",
  flags: ["agent", "limit", "after", "json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const { after } = call.line.texts;
    const range = { limit: limitFlag(call.line), ...(after === undefined ? {} : { after }) };
    const passages = await (await call.runtime()).archival.list(call.agent, range);
    printResult(call, { json: passagesShape(passages), text: passagesText(passages) });
    return 0;
  },
};

function passagesText({ rows, total }: PassagePage): string {
  if (total === 0) return "The archive is empty.";
  const lines = rows.map(({ id, at, tags, content, trust, external }) => {
    const head = [minute(at), tagText(tags), trustText(trust, external), id].filter((part) => part !== "").join("  ");
    return `${head}\n${indent(content)}`;
  });
  return [...lines, `${rows.length} of ${passageCount(total)}.`].join("\n");
}
