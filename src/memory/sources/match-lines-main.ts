// The process that matches lines against patterns of models.
// Invariant: only the beginning of a long line is compared.
import { answerRequests } from "../../base/confined/answer-requests.ts";
import type { MatchRequest } from "../attached/find-lines.ts";
import type { MatchAnswer } from "./line-matcher.ts";

/** Number of UTF-16 units of a line that are compared. */
const maxLength = 2000;

answerRequests<MatchRequest, MatchAnswer>(async ({ pattern, texts }) => {
  const expression = compiled(pattern);
  if (expression === null) return { isInvalid: true };
  const before = process.cpuUsage();
  const lines = texts.map((text) =>
    text.split("\n").flatMap((line, at) => (expression.test(line.slice(0, maxLength)) ? [at] : [])),
  );
  const { user, system } = process.cpuUsage(before);
  return { lines, seconds: (user + system) / 1e6 };
});

/**
 * Returns the compiled pattern; null if it is invalid. Unicode mode supports `\p{L}`, but refuses escapes that a pattern
 * without `u` may have.
 */
function compiled(pattern: string): RegExp | null {
  for (const flags of ["iu", "i"]) {
    try {
      return new RegExp(pattern, flags);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return null;
}
