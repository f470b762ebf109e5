// Reads the report of an evaluation from a file that the user opened.
// Invariant: pure; a file that is not a report gives an error text, and never a report with gaps.
import { isObject, type JsonObject, parseJson } from "../../../base/json-values.ts";
import type { EvalReport } from "../../eval/report.ts";
import type { Summary } from "../../eval/results.ts";

export interface NamedReport {
  readonly name: string;
  readonly report: EvalReport;
}

/** A report, or the reason why the text is not one. */
export type OpenedReport =
  | { readonly report: EvalReport; readonly fault: null }
  | { readonly report: null; readonly fault: string };

const expected = "Expected the `report.json` of an evaluation, or its report as JSON. Choose such a file.";

export function openedReport(text: string): OpenedReport {
  const value = parseJson(text);
  if (value === undefined) return { report: null, fault: `The file is not JSON. ${expected}` };
  const wrong = wrongField(value);
  if (wrong !== null)
    return { report: null, fault: `The file is JSON, but its field \`${wrong}\` is missing or invalid. ${expected}` };
  return { report: value as EvalReport, fault: null };
}

/** Returns the first field of a report that the value lacks or has with a wrong type; null if it is a report. */
function wrongField(value: unknown): string | null {
  if (!isObject(value)) return "total";
  const { version, runs, models, total, categories, results } = value;
  if (typeof version !== "string") return "version";
  if (typeof runs !== "number") return "runs";
  if (models !== null && !(isObject(models) && hasTexts(models, ["answers", "judges"]))) return "models";
  if (!isSummary(total)) return "total";
  if (!isObject(categories)) return "categories";
  const category = Object.entries(categories).find(([, summary]) => !isSummary(summary));
  if (category !== undefined) return `categories.${category[0]}`;
  if (!Array.isArray(results)) return "results";
  const at = results.findIndex((each) => !isObject(each) || !hasTexts(each, ["set", "category", "question"]));
  return at === -1 ? null : `results.${at}`;
}

function hasTexts(value: JsonObject, names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === "string");
}

const figures = [
  "recallAt5",
  "recallAt10",
  "mrr",
  "tokens",
  "p50Ms",
  "p95Ms",
  "junkRate",
  "missedRate",
  "score",
  "abstention",
  "falseAccepts",
] as const satisfies readonly (keyof Summary)[];

function isSummary(value: unknown): value is Summary {
  if (!isObject(value) || typeof value["questions"] !== "number") return false;
  if (!figures.every((name) => value[name] === null || typeof value[name] === "number")) return false;
  const range = value["scoreRange"];
  return (
    range === null || (Array.isArray(range) && range.length === 2 && range.every((one) => typeof one === "number"))
  );
}
