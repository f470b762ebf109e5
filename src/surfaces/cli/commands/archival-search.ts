// `palimpsest archival search`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { foundPieces } from "../format/found-pieces.ts";
import { foundPassagesShape } from "../format/listing-shapes.ts";
import { pageFlags } from "../parse/number-flag.ts";
import { passageFilter } from "../parse/passage-filter.ts";
import { printResult } from "../print.ts";
import { queryAt } from "../parse/word-argument.ts";

export const archivalSearch: Command = {
  words: ["archival", "search"],
  usage: "QUERY",
  summary: "search an agent's archive and its attached sources",
  details:
    "A query in double quotes finds exactly that text: '\"red boat\"'. Of several tags, kinds or sources, any must match;\n" +
    "different flags are combined with AND. Long texts are shown around their first match; --json has the full text.",
  flags: [
    "agent",
    "tag",
    "all-tags",
    "kind",
    "source",
    "since",
    "until",
    "min-importance",
    "explain",
    "page",
    "page-size",
    "json",
    ...storeFlags,
  ],
  takes: { min: 1, max: 1 },
  async run(call) {
    const query = queryAt(call, 0);
    const asked = { ...pageFlags(call.line), ...passageFilter(call.line) };
    const found = await (await call.runtime()).archival.search(call.agent, query, asked);
    const isExplained = call.line.switches.has("explain");
    printResult(call, { json: foundPassagesShape(found), text: foundPieces(found, { query, isExplained }) });
    return 0;
  },
};
