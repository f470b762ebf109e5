// Keeps the results of an evaluation in a folder while it runs, so that an interrupted one is continued.
// Invariant: one JSON object a line; the first states what is evaluated, and a file of anything else is refused.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { RequestError } from "../../base/errors.ts";
import type { QuestionResult } from "./results.ts";

export interface ResultFile {
  /** Results that are already in the file. */
  readonly known: readonly QuestionResult[];
  add(result: QuestionResult): void;
}

/** `subject`: what decides a result. Throws RequestError `input_invalid` for a file with another one. */
export function openResultFile(folder: string, subject: unknown): ResultFile {
  const file = path.join(folder, "results.jsonl");
  mkdirSync(folder, { recursive: true });
  const header = JSON.stringify(subject);
  if (!existsSync(file)) writeFileSync(file, `${header}\n`);
  const text = readFileSync(file, "utf8");
  const [first, ...lines] = text.split("\n");
  if (first !== header) {
    throw new RequestError(
      "input_invalid",
      `Expected ${file} to be of this evaluation: choose another folder, or delete it.`,
    );
  }
  // The next result must not continue an incomplete line.
  if (!text.endsWith("\n")) appendFileSync(file, "\n");
  return {
    known: lines.flatMap((line) => resultIn(line)),
    add: (result) => appendFileSync(file, `${JSON.stringify(result)}\n`),
  };
}

/** Returns no result for an incomplete line, which a killed process leaves at the end; its question is asked again. */
function resultIn(line: string): readonly QuestionResult[] {
  if (line.trim() === "") return [];
  try {
    return [JSON.parse(line) as QuestionResult];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
