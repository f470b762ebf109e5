// Chooses the consolidation that a command without an id is about. The command line and the chat use it.
// Invariant: a later run that failed, or that has nothing to review, does not hide a run that waits for a review.
import type { UserRuntime } from "../runtime/runtime.ts";

type Consolidations = UserRuntime["consolidation"];
type Consolidation = Awaited<ReturnType<Consolidations["find"]>>;

/** Maximum number of runs that are searched. */
const maxRuns = 1000;

/**
 * Returns the agent's newest run with an applied operation for `undo`, and with a waiting operation for the other verbs. If
 * there is none, returns the newest run; undefined if there is no run.
 */
export async function chooseRun(
  consolidation: Pick<Consolidations, "list">,
  agent: string,
  verb: "show" | "apply" | "reject" | "undo",
): Promise<Consolidation | undefined> {
  const wanted = verb === "undo" ? "applied" : "proposed";
  const runs = await consolidation.list(agent, maxRuns);
  return runs.find(({ operations }) => operations.some(({ status }) => status === wanted)) ?? runs[0];
}
