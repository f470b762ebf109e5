// `palimpsest optimize`.
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { notice, printResult } from "../print.ts";
import type { OptimizedTable, OptimizeReport } from "../runtime-records.ts";

export const optimize: Command = {
  words: ["optimize"],
  usage: "",
  summary: "clean up tables and build indexes, to keep searches fast",
  details:
    "Vacuums the tables, updates the planner's statistics, and builds a vector index where one pays: from 20,001 vectors\n" +
    "of one width on. Below that, every vector is compared, and results are exact. On a PostgreSQL server no query waits\n" +
    "for it. On the embedded engine all queries wait while an index is built: about a minute for each 50,000 vectors.",
  flags: ["json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const runtime = await call.runtime();
    const report = await runtime.optimize({
      log: (line) => notice(call, line),
      signal: call.world.signal,
    });
    printResult(call, { json: report, text: reportText(report) });
    return 0;
  },
};

function reportText({ tables, analyzed, analyzeSeconds }: OptimizeReport): string {
  const cleaned = `Vacuumed and analyzed ${analyzed.join(", ")} in ${analyzeSeconds.toFixed(1)} s.`;
  return [cleaned, ...tables.map(tableText)].join("\n");
}

function tableText(optimized: OptimizedTable): string {
  return `${optimized.table}: ${Math.round(optimized.vectors).toLocaleString("en")} vectors, ${outcomeText(optimized)}.`;
}

function outcomeText({ outcome, index, indexBytes, buildSeconds, dimensions }: OptimizedTable): string {
  const size = `${(indexBytes / 2 ** 20).toFixed(0)} MB`;
  switch (outcome) {
    case "built":
      return `built the index in ${buildSeconds.toFixed(1)} s (${size})`;
    case "kept":
      return `the index exists (${size})`;
    case "not-due":
      return index === "broken" ? "too few for an index; removed an invalid one" : "too few for an index to pay";
    case "too-wide":
      return `${dimensions} dimensions are too many for an index`;
  }
}
