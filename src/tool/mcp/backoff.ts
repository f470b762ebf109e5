// The growing pauses between attempts that fail.
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/error-message.ts";
import { SignInError, ToolError } from "../../base/errors.ts";
import { bounds } from "./bounds.ts";

export interface Backoff {
  /**
   * Runs the attempt. Throws ToolError, with nothing run, during the pause after one that failed. No pause follows a lack of a
   * sign-in: the user ends it, maybe from another program.
   */
  attempt<Result>(run: () => Promise<Result>): Promise<Result>;
}

export function createBackoff(clock: Clock): Backoff {
  let failures = 0;
  let retryAt = 0;
  let lastFailure = "";
  return {
    async attempt(run) {
      const waitMs = retryAt - clock.now().getTime();
      if (waitMs > 0) throw new ToolError(`${lastFailure}; the next attempt is in ${Math.ceil(waitMs / 1000)} s`);
      try {
        const result = await run();
        failures = 0;
        return result;
      } catch (error) {
        if (error instanceof SignInError && error.needsUser) throw error;
        const { first, longest } = bounds.backoffMs;
        retryAt = clock.now().getTime() + Math.min(longest, first * 2 ** failures);
        failures += 1;
        lastFailure = messageOf(error);
        throw error;
      }
    },
  };
}
