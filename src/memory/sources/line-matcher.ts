// Matches lines against a model's pattern in a separate process, which is ended at a limit: a short pattern can take hours.
// Invariant: a pattern that takes too long is refused like an invalid one.
import { createConfinedWork, type WorkLimits } from "../../base/confined/confined-process.ts";
import { ToolError } from "../../base/errors.ts";
import type { LineMatches, MatchLines, MatchRequest } from "../attached/find-lines.ts";

/** Limits for one request. 500 passages take 20 milliseconds with usual patterns. */
export const matchLimits: WorkLimits = { seconds: 2, megabytes: 300 };

export type MatchAnswer = LineMatches | { readonly isInvalid: true };

export function createLineMatcher(limits = matchLimits): MatchLines {
  const work = createConfinedWork<MatchRequest, MatchAnswer>({ module: "memory/sources/match-lines-main", limits });
  return async (request) => {
    const outcome = await work.run(request);
    if (!outcome.isDone) throw new ToolError(`The pattern "${request.pattern}" takes too long. ${advice}`);
    if ("isInvalid" in outcome.reply)
      throw new ToolError(`Expected a regular expression, got "${request.pattern}". ${advice}`);
    return outcome.reply;
  };
}

const advice = "Use a simpler one. To find a text as it is, put a backslash before . * + ? ( ) [ ] { } ^ $ | and \\.";
