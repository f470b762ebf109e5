// Stores the results of an evaluation in a folder while it runs, so that an interrupted evaluation can be continued.
// Invariant: one JSON object per line; the first line identifies the evaluation, and a file of another evaluation is refused.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { RequestError } from "../../base/errors.ts";
import type { QuestionResult } from "./results.ts";

/**
 * Opens or creates the file of results in a folder. `subject`: everything that affects the results. Throws RequestError
 * `input_invalid` for a file with another subject.
 */
export function openResultFile(folder: string, subject: unknown) {
  const file = path.join(folder, "results.jsonl");
  mkdirSync(folder, { recursive: true });
  const header = JSON.stringify(subject);
  if (!existsSync(file)) writeFileSync(file, `${header}\n`);
  const text = readFileSync(file, "utf8");
  const [first, ...lines] = text.split("\n");
  if (first !== header) {
    throw new RequestError(
      "input_invalid",
      `Expected ${file} to belong to this evaluation, got the file of another evaluation. Choose another folder, or delete the file.`,
    );
  }
  // A killed process may leave a last line without its end, which the next result would continue.
  if (!text.endsWith("\n")) appendFileSync(file, "\n");
  return {
    /** The results that were in the file when it was opened. */
    known: lines.flatMap((line) => resultIn(line)),
    add: (result: QuestionResult) => appendFileSync(file, `${JSON.stringify(result)}\n`),
  };
}

/**
 * Returns the result in a line; none for an incomplete line, which a killed process leaves. The question of that line
 * is then asked again.
 */
function resultIn(line: string): readonly QuestionResult[] {
  if (line.trim() === "") return [];
  try {
    return [JSON.parse(line) as QuestionResult];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
