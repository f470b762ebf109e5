// A model without intelligence, for evaluations of consolidation without a key. It proposes the operations of the cases
// when their rows are in the request, and answers "Noted." to everything else.
// Invariant: deterministic; it proposes no operation on a row that is not in the request.
import { noUsage, textOf } from "../../base/message/message.ts";
import type { Model, ModelEvent, ModelRequest } from "../../model/llm/model.ts";
import { rowText, type TidyingCase } from "./tidying-cases.ts";

export const tidierName = "eval/tidier";

export function createTidier(cases: readonly TidyingCase[]): Model {
  return {
    name: tidierName,
    contextWindow: 100_000,
    async *stream(request): AsyncIterable<ModelEvent> {
      const isAsked = request.output?.name === "operations";
      yield { type: "text-delta", text: isAsked ? JSON.stringify(operationsFor(request, cases)) : "Noted." };
      yield { type: "end", stopReason: "end", usage: noUsage };
    },
  };
}

function operationsFor({ messages }: ModelRequest, cases: readonly TidyingCase[]) {
  const lines = messages.slice(0, 1).map(textOf).join("").split("\n");
  const shown = lines.flatMap((line): (readonly [string, string])[] => {
    const [, name = "", text] = /^(\S+) [^"]*(".*")$/u.exec(line) ?? [];
    return text === undefined ? [] : [[JSON.parse(text) as string, name]];
  });
  const names = new Map(shown);
  return { operations: cases.flatMap((one) => one.do.flatMap((line) => operationOf(one, line, names))) };
}

/** Returns an operation such as `supersede c1 s1 > s1`; none if one of its rows is not in the request. */
function operationOf(one: TidyingCase, line: string, names: ReadonlyMap<string, string>) {
  const [, kind = "", listed = "", made = ""] = /^(\S+) ([^>]+?)(?: > (.+))?$/u.exec(line) ?? [];
  const rows = listed.split(" ").map((row) => ({ row, name: names.get(rowText(one, row) ?? "") }));
  const kept = made.startsWith("s") ? null : rowText(one, made);
  const keep = kept === null ? null : names.get(kept);
  if (keep === undefined || rows.some(({ name }) => name === undefined)) return [];
  const said = rows.filter(({ row }) => kind === "add" || row.startsWith("s"));
  const written = made === "" || keep !== null ? [] : made.split(" | ");
  const texts = written.map((text) => rowText(one, text) ?? text);
  return [
    {
      kind,
      reason: one.kind,
      targets: rows.filter((row) => !said.includes(row)).map(({ name }) => name),
      texts,
      keep,
      module: null,
      evidence: said.map(({ row, name }) => ({ row: name, quote: rowText(one, row) })),
    },
  ];
}
