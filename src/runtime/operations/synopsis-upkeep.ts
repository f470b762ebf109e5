// Regenerates an agent's synopsis in the background when a part of it is due.
// Invariant: a turn never waits for it; a failure is logged and not retried at once.
import type { Upkeep } from "../../agent/turn.ts";
import type { AgentRecord } from "../../store/port/records.ts";
import type { OperationDeps } from "./operation-deps.ts";
import { refreshSynopsis } from "./refresh-synopsis.ts";

type UpkeepDeps = Pick<OperationDeps, "store" | "defaults" | "models" | "background" | "ids" | "clock" | "log">;

/** Returns null for an agent whose synopsis is off or refreshed only on request. */
export function synopsisUpkeep(deps: UpkeepDeps, agent: AgentRecord): Upkeep | null {
  const { synopsis, synopsisRefresh } = agent.settings;
  if (synopsis === "off" || synopsisRefresh === "by-hand") return null;
  return {
    afterTurn: () =>
      deps.background.run(`The synopsis of "${agent.name}"`, async () => {
        const refreshed = await refreshSynopsis(deps, agent, { asked: false });
        if (refreshed.type !== "failed") return;
        deps.log(`The synopsis of "${agent.name}" was not regenerated and is unchanged: ${refreshed.reason}`);
      }),
  };
}
