// Shows, regenerates and clears synopses.
// Invariant: a refused or failed refresh leaves the synopsis unchanged, and throws an error with the reason.
import { largest } from "../../base/lists.ts";
import { partsOf, renderSynopsis, validRecords } from "../../memory/synopsis/synopsis.ts";
import { RequestError } from "../../base/errors.ts";
import type { AgentRecord } from "../../store/port/records.ts";
import type { SynopsisRecord } from "../../store/port/synopsis-store.ts";
import type { SynopsisOperations, SynopsisPartView, SynopsisView } from "./contract.ts";
import { counterOf } from "../operations/opening/agent-models.ts";
import { findAgent } from "../agents/find-agent.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { type Refreshed, refreshSynopsis } from "./refresh-synopsis.ts";

type SynopsisDeps = Pick<OperationDeps, "store" | "defaults" | "models" | "ids" | "clock">;

export function createSynopsisOperations(deps: SynopsisDeps): SynopsisOperations {
  return {
    show: async (name) => viewOf(deps, await findAgent(deps, name)),

    async refresh(name) {
      const agent = await findAgent(deps, name);
      const refreshed = await refreshSynopsis(deps, agent, { asked: true });
      const reason = refusal(refreshed);
      if (reason !== null) throw new RequestError("synopsis_refused", reason);
      return viewOf(deps, agent);
    },

    clear: async (name) => deps.store.synopses.clear((await findAgent(deps, name)).id),
  };
}

/** Returns why a refresh made no synopsis, as a sentence; null if the synopsis is up to date. */
function refusal(refreshed: Refreshed): string | null {
  switch (refreshed.type) {
    case "made":
    case "kept":
    case "current":
      return null;
    case "empty":
      return "Expected at least one passage in archival memory for a synopsis, got none. `runtime.archival.add()` adds one.";
    case "busy":
      return "Another process is regenerating the synopsis. Try again in a minute; `runtime.synopsis.show()` shows when it was made.";
    case "failed":
      return `The synopsis was not regenerated and is unchanged: ${refreshed.reason}`;
  }
}

async function viewOf(
  deps: Pick<OperationDeps, "store" | "models" | "clock">,
  agent: AgentRecord,
): Promise<SynopsisView> {
  const records = validRecords(await deps.store.synopses.read(agent.id));
  const { identity, context } = partsOf(records);
  const text = renderSynopsis({ identity, context });
  const tokens = text === null ? 0 : counterOf(deps, agent).count(text);
  const memoryTokens = largest(
    records.map((record) => record.memoryTokens),
    0,
  );
  const now = deps.clock.now();
  return {
    isOn: agent.settings.synopsis === "on",
    identity: identity && partView(recordOf(records, "identity"), identity.content, now),
    context: context && partView(recordOf(records, "context"), context.content, now),
    text,
    tokens,
    memoryTokens,
    savedPercent: text === null || memoryTokens === 0 ? null : Math.round(100 * (1 - tokens / memoryTokens)),
  };
}

function recordOf(records: readonly SynopsisRecord[], part: SynopsisRecord["part"]): SynopsisRecord {
  return records.find((record) => record.part === part)!;
}

function partView<Content>(record: SynopsisRecord, content: Content, now: Date): SynopsisPartView<Content> {
  const { trust, at, expiresAt, passages, leftOut, memoryTokens, tokens, model, usage, dollars } = record;
  return {
    content,
    trust,
    at,
    expiresAt,
    isStale: expiresAt <= now,
    memories: passages.length,
    leftOut,
    memoryTokens,
    tokens,
    model,
    usage,
    dollars,
  };
}
