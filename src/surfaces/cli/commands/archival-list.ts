// `palimpsest archival list`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { listedPassageShape } from "../format/listing-shapes.ts";
import { indent, minute, passageCount, tagText, trustText } from "../format/listing-texts.ts";
import { limitFlag } from "../parse/number-flag.ts";
import { printResult } from "../print.ts";
import type { Passage } from "../runtime-records.ts";

export const archivalList: Command = {
  words: ["archival", "list"],
  usage: "",
  summary: "list the passages of an agent's archive",
  flags: ["agent", "limit", "after", "json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const { after } = call.line.texts;
    const range = { limit: limitFlag(call.line), ...(after === undefined ? {} : { after }) };
    const { archival } = await call.runtime();
    const [passages, total] = await Promise.all([archival.list(call.agent, range), archival.count(call.agent)]);
    printResult(call, { json: passages.map(listedPassageShape), text: passagesText(passages, total) });
    return 0;
  },
};

function passagesText(passages: readonly Passage[], total: number): string {
  if (total === 0) return "The archive is empty.";
  const lines = passages.map(({ id, at, tags, text, trust, external }) => {
    const head = [minute(at), tagText(tags), trustText(trust, external), id].filter((part) => part !== "").join("  ");
    return `${head}\n${indent(text)}`;
  });
  return [...lines, `${passages.length} of ${passageCount(total)}.`].join("\n");
}
