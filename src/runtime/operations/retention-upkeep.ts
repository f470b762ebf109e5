// Applies an agent's retention in the background: its passages after each turn, everything else at most once a day.
// Invariant: an agent without limits costs nothing, and a failure does not reach the turn.
import type { Upkeep } from "../../agent/turn.ts";
import type { AgentRecord } from "../../store/port/records.ts";
import type { OperationDeps } from "./operation-deps.ts";
import { evictPassages, retainedKinds, type SweepDeps, sweepUnlessDone } from "./retention-sweep.ts";

type UpkeepDeps = SweepDeps & Pick<OperationDeps, "background">;

const dayMs = 86_400_000;

/** Returns null for an agent without limits. */
export function retentionUpkeep(deps: UpkeepDeps, agent: AgentRecord): Upkeep | null {
  if (retainedKinds.every((kind) => agent.settings.retention[kind] === undefined)) return null;
  const daily = createDailySweep(deps, agent);
  let notices: string[] = [];
  return {
    afterTurn() {
      daily();
      deps.background.run(`Retention of "${agent.name}"`, async () => {
        const notice = await evictPassages(deps, agent);
        if (notice !== null) notices.push(notice);
      });
    },
    takeNotices() {
      const taken = notices;
      notices = [];
      return taken;
    },
  };
}

function createDailySweep(deps: UpkeepDeps, agent: AgentRecord): () => void {
  let next = 0;
  // `evictPassages` checks passages after every turn.
  const isLimited = retainedKinds.some((kind) => kind !== "passages" && agent.settings.retention[kind] !== undefined);
  return () => {
    const now = deps.clock.now().getTime();
    if (!isLimited || now < next) return;
    next = now + dayMs;
    deps.background.run(`Retention of "${agent.name}"`, () => sweepUnlessDone(deps, agent, new Date(now - dayMs)));
  };
}
