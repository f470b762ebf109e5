// Work beside turns, which a runtime waits for before it closes.
// Invariant: its failure is told to the log and fails nothing else.
import { messageOf } from "../base/error-message.ts";
import type { OperationDeps } from "./operation-deps.ts";

/** `what` begins the line that a failure is told with. */
export function inBackground(
  { background, log }: Pick<OperationDeps, "background" | "log">,
  what: string,
  work: () => Promise<void>,
): void {
  const working = work()
    .catch((error: unknown) => {
      log(`${what} failed: ${messageOf(error)}`);
    })
    .then(() => {
      background.delete(working);
    });
  background.add(working);
}
