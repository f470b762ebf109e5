// Which rows of memory a consolidation reads, and where the next one continues: each run makes progress.
import { chooseRows, type ConsolidationNews } from "../../../src/runtime/consolidation/read-memory.ts";
import { linesOfModule } from "../../../src/memory/consolidation/signals.ts";
import type { MemoryRow } from "../../../src/store/port/consolidation-store.ts";
import { newWorld } from "../../support/consolidation-histories.ts";

const at = new Date("2026-11-29T09:00:00Z");

/** A row with its size in its text. */
function row(id: string, tokens: number): MemoryRow {
  const kind = id.startsWith("m") ? "message" : id.startsWith("p") ? "passage" : "line";
  return { kind, id, text: `${id} has ${tokens} tokens.`, trust: "user", at };
}

const count = (line: string) => Number(/has (\d+) tokens/u.exec(line)?.[1]);
const group = (...rows: readonly MemoryRow[]) => ({ row: rows[0]!, rows });

type Group = ReturnType<typeof group>;

/** Reads in runs of 100 tokens until all is read, and returns the ids that each run reads. Core memory has `core` tokens. */
function readAll({ core, passages = [], messages = [] }: { core: number; passages?: Group[]; messages?: Group[] }) {
  const module = { ...linesOfModule(newWorld(1).modules[1]!, [], at), lines: [row("human", core)] };
  const end = { passage: passages.at(-1)?.row.id ?? "", message: messages.at(-1)?.row.id ?? "", modules: {} };
  const read: string[] = [];
  let ranges = { passage: "", message: "", modules: {} };
  for (let run = 0; run < 9 && (ranges.passage < end.passage || ranges.message < end.message); run += 1) {
    const news = {
      signals: { similar: 0, full: 0, expired: 0, unsaved: 10 },
      last: { ranges },
      forgettings: 0,
      modules: [module],
      passages: passages.filter((one) => one.row.id > ranges.passage),
      messages: messages.filter((one) => one.row.id > ranges.message),
      end,
    } as unknown as ConsolidationNews;
    const chosen = chooseRows(news, { tokens: 100, count });
    read.push(chosen.rows.map(({ id }) => id).join(" "));
    ranges = { ...chosen.ranges, modules: {} };
  }
  return read;
}

test.each<[string, Parameters<typeof readAll>[0], readonly string[]]>([
  [
    "a message that is too long for any run is passed over",
    { core: 10, messages: [group(row("m1", 101)), group(row("m2", 20)), group(row("m3", 999))] },
    ["human m2"],
  ],
  [
    "a message that does not fit beside the others is read by the next run, without core memory if need be",
    { core: 30, messages: [group(row("m1", 40)), group(row("m2", 80)), group(row("m3", 20))] },
    ["human m1", "m2 m3"],
  ],
  [
    "a message whose similar passages do not fit is read without them",
    { core: 30, messages: [group(row("m1", 40), row("p1", 90), row("p2", 25)), group(row("m2", 40))] },
    ["human p2 m1", "human m2"],
  ],
  [
    "passages and messages are read although core memory fills a run",
    {
      core: 100,
      passages: [group(row("p1", 30), row("p0", 30)), group(row("p2", 60))],
      messages: [group(row("m1", 30))],
    },
    ["p1 p0 m1", "p2"],
  ],
  [
    "a passage that does not fit does not count as read",
    { core: 60, passages: [group(row("p1", 30)), group(row("p2", 30)), group(row("p3", 101))] },
    ["human p1", "human p2"],
  ],
])("%s", (_name, news, read) => {
  expect(readAll(news)).toEqual(read);
});
