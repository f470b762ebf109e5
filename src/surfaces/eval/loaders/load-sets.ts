// Reads files of other benchmarks as sets of cases. The user provides the files; none ships with the package.
// Invariant: a file is read as a whole, and only as data.
import { readFileSync } from "node:fs";
import path from "node:path";
import { RequestError } from "../../../base/errors.ts";
import { type EvalSet, evalSetOf } from "../eval-set.ts";
import { dmrSets } from "./dmr.ts";
import { lettaSets } from "./letta-memory.ts";
import { locomoSets } from "./locomo.ts";
import { readTidyingCases } from "../tidying-cases.ts";
import { longMemEvalSets } from "./longmemeval.ts";

/** The names of the formats: the project's own, and those of published benchmarks. */
export const evalFormats = ["palimpsest", "locomo", "longmemeval", "dmr", "letta", "consolidation"] as const;

export type EvalFormat = (typeof evalFormats)[number];

const loaders: Readonly<Record<EvalFormat, (value: unknown, name: string) => readonly EvalSet[]>> = {
  palimpsest: (value) => [evalSetOf(value)],
  locomo: locomoSets,
  longmemeval: longMemEvalSets,
  dmr: dmrSets,
  letta: lettaSets,
  consolidation: (value, name) => [evalSetOf({ name, cases: readTidyingCases(String(value)) })],
};

/** Returns the sets in a file. Throws RequestError `input_invalid` for a file that cannot be read or is not in the format. */
export function loadSets(file: string, format: EvalFormat): readonly EvalSet[] {
  const name = path.basename(file).replace(/\.(?:jsonl?|txt)$/u, "");
  try {
    return loaders[format](parseFile(readFileSync(file, "utf8"), file), name);
  } catch (cause) {
    throw new RequestError("input_invalid", `Expected a file in the format ${format}, got ${path.basename(file)}.`, {
      cause,
    });
  }
}

function parseFile(text: string, file: string): unknown {
  if (file.endsWith(".txt")) return text;
  if (!file.endsWith(".jsonl")) return JSON.parse(text);
  return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [JSON.parse(line) as unknown]));
}
