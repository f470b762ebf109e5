// `palimpsest archival list`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { passagesShape } from "../format/listing-shapes.ts";
import { indent, minute, pageText, tagText, trustText } from "../format/listing-texts.ts";
import { pageFlags } from "../parse/number-flag.ts";
import { printResult } from "../print.ts";
import type { PassagePage } from "../runtime-records.ts";

export const archivalList: Command = {
  words: ["archival", "list"],
  usage: "",
  summary: "list the passages of an agent's archive",
  flags: ["agent", "page", "page-size", "json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const page = pageFlags(call.line);
    const passages = await (await call.runtime()).archival.list(call.agent, page);
    printResult(call, { json: passagesShape(passages, page), text: passagesText(passages, page) });
    return 0;
  },
};

function passagesText(
  { rows, total }: PassagePage,
  page: { readonly page: number; readonly pageSize: number },
): string {
  if (total === 0) return "The archive is empty.";
  const lines = rows.map(({ id, at, tags, content, trust, external }) => {
    const head = [minute(at), tagText(tags), trustText(trust, external), id].filter((part) => part !== "").join("  ");
    return `${head}\n${indent(content)}`;
  });
  return [...lines, pageText({ ...page, total }, rows.length)].join("\n");
}
