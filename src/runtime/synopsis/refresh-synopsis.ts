// Regenerates parts of a synopsis: claims them, calls the model once, and saves its answer.
// Invariant: one process at a time regenerates a part. A refresh that was not requested starts at the earliest ten minutes
// after the start of the last one, whatever its result. The previous part stays until a new one is saved.
import { chooseMemories, type ChosenMemories, synthesizeSynopsis } from "../../context/synthesize-synopsis.ts";
import type { Upkeep } from "../../agent/turn.ts";
import type { Model } from "../../model/llm/model.ts";
import type { AgentRecord } from "../../store/port/records.ts";
import { dueParts, fitPart, readSynopsisPart, synopsisSchema, validRecords } from "../../memory/synopsis/synopsis.ts";
import {
  type SynopsisContents,
  type SynopsisPart,
  synopsisParts,
  type SynopsisRecord,
} from "../../store/port/synopsis-store.ts";
import { lowestTrust, dollarsOf, type Usage } from "../../base/message/message.ts";
import { counterOf, summarizerOf } from "../operations/opening/agent-models.ts";
import { calibrationOf } from "../operations/opening/calibration-of.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";

type RefreshDeps = Pick<OperationDeps, "store" | "defaults" | "models" | "ids" | "clock">;

/**
 * Minimum milliseconds between the starts of two refreshes that were not requested. The claim of a killed process expires after
 * the same time.
 */
const pauseMs = 600_000;
/** Maximum number of memories that are read, and maximum code points of each. */
const maxMemories = 2000;
const maxCharacters = 4000;

export type Refreshed =
  /** `kept`: the memories of the due parts are unchanged, so their lifetime is extended without a model call. */
  | { readonly type: "made" | "kept"; readonly parts: readonly SynopsisPart[] }
  /** `busy`: another process is regenerating the parts, or has just tried. `empty`: there are no memories. */
  | { readonly type: "current" | "busy" | "empty" }
  | { readonly type: "failed"; readonly reason: string };

/**
 * Regenerates the parts that are due or, with `asked`, both parts. An error of the model is returned as `failed`; all other
 * errors are thrown.
 */
export async function refreshSynopsis(
  deps: RefreshDeps,
  agent: AgentRecord,
  { asked }: { readonly asked: boolean },
): Promise<Refreshed> {
  const { store, clock, ids } = deps;
  const now = clock.now();
  const states = await store.synopses.read(agent.id);
  const due = asked ? synopsisParts : dueParts(states, now);
  if (due.length === 0) return { type: "current" };
  const pausing = states.filter(({ part, nextRefreshAt }) => due.includes(part) && nextRefreshAt > now);
  if (!asked && pausing.length === due.length) return { type: "busy" };
  const claim = ids.next();
  const nextRefreshAt = new Date(now.getTime() + pauseMs);
  const claimed = await store.synopses.claim(agent.id, { claim, parts: due, now, nextRefreshAt, asked });
  if (claimed.length === 0) return { type: "busy" };
  try {
    return await regenerate(deps, agent, { claim, parts: claimed, before: validRecords(states), asked });
  } finally {
    // After a save, the claim is already released, and this call does nothing.
    await store.synopses.release(agent.id, claim);
  }
}

interface Claimed {
  readonly claim: string;
  readonly parts: readonly SynopsisPart[];
  /** The parts that were valid when the claim was made. */
  readonly before: readonly SynopsisRecord[];
  readonly asked: boolean;
}

interface Chosen extends ChosenMemories {
  readonly leftOut: number;
}

async function regenerate(deps: RefreshDeps, agent: AgentRecord, claimed: Claimed): Promise<Refreshed> {
  const found = await deps.store.synopses.memories(agent.id, {
    limit: maxMemories,
    characters: maxCharacters,
    now: deps.clock.now(),
  });
  if (found.total === 0) return { type: "empty" };
  await summarizerOf(deps, agent).prepare?.();
  const { model, count, name } = synthesizer(deps, agent);
  const { scale } = await calibrationOf(deps, name);
  const windowTokens = scale.counted(model.contextWindow);
  const chosen = chooseMemories(found.memories, { windowTokens, count });
  const from = { ...chosen, leftOut: found.total - chosen.memories.length };
  const unchanged = claimed.asked ? [] : claimed.before.filter((one) => isUnchanged(one, claimed.parts, from));
  if (unchanged.length === claimed.parts.length) {
    const now = deps.clock.now();
    return save(deps, agent, {
      claim: claimed.claim,
      type: "kept",
      made: unchanged.map((one) => ({ ...one, expiresAt: expiry(agent, one.part, now) })),
    });
  }
  const answer = await synthesizeSynopsis({
    model,
    parts: claimed.parts,
    memories: chosen.memories,
    now: deps.clock.now(),
    schema: synopsisSchema(claimed.parts),
    maxOutputTokens: agent.settings.maxOutputTokens,
    read: readSynopsisPart,
  });
  if (answer.type === "failed") return answer;
  const written = { from, usage: answer.usage, name };
  const made = claimed.parts.map((part) =>
    recordOf(deps, agent, { ...written, part, content: answer.contents[part]!, count }),
  );
  return save(deps, agent, { claim: claimed.claim, type: "made", made });
}

/** Returns the summarizer, limited to the window that the agent's settings allow. */
export function synthesizer(
  deps: Pick<OperationDeps, "store" | "defaults" | "models">,
  agent: AgentRecord,
): { readonly model: Model; readonly name: string; readonly count: (text: string) => number } {
  const { summarizer, contextWindow } = agent.settings;
  const name = summarizer ?? agent.model;
  const model = summarizerOf(deps, agent);
  const counter = counterOf(deps, agent, name);
  const window =
    summarizer === null ? Math.min(contextWindow ?? model.contextWindow, model.contextWindow) : model.contextWindow;
  return {
    name,
    model: { name: model.name, contextWindow: window, stream: (request, options) => model.stream(request, options) },
    count: (text) => counter.count(text),
  };
}

function isUnchanged(record: SynopsisRecord, wanted: readonly SynopsisPart[], { memories }: Chosen): boolean {
  const ids = new Set(record.passages);
  return wanted.includes(record.part) && ids.size === memories.length && memories.every(({ id }) => ids.has(id));
}

function expiry({ settings }: AgentRecord, part: SynopsisPart, from: Date): Date {
  return new Date(from.getTime() + settings.synopsisLifetimes[part] * 1000);
}

interface Written<Part extends SynopsisPart> {
  readonly part: Part;
  readonly content: SynopsisContents[Part];
  readonly from: Chosen;
  readonly usage: Usage;
  readonly name: string;
  readonly count: (text: string) => number;
}

function recordOf<Part extends SynopsisPart>(
  { clock, models }: Pick<OperationDeps, "models" | "clock">,
  agent: AgentRecord,
  { part, content, from, usage, name, count }: Written<Part>,
): SynopsisRecord {
  const at = clock.now();
  const price = models.priceOf(name);
  return {
    part,
    ...fitPart(part, content, { at, count }),
    trust: lowestTrust(["model", ...from.memories.map(({ trust }) => trust)]),
    at,
    expiresAt: expiry(agent, part, at),
    passages: from.memories.map(({ id }) => id),
    leftOut: from.leftOut,
    memoryTokens: from.tokens,
    model: name,
    usage,
    dollars: price === null ? null : dollarsOf(usage, price),
  };
}

interface SaveRequest {
  readonly claim: string;
  readonly type: "made" | "kept";
  readonly made: readonly SynopsisRecord[];
}

async function save(
  { store }: Pick<OperationDeps, "store">,
  agent: AgentRecord,
  { claim, type, made }: SaveRequest,
): Promise<Refreshed> {
  const saved = await store.synopses.save(agent.id, claim, made);
  if (saved === "saved") return { type, parts: made.map(({ part }) => part) };
  const why = {
    outdated: "a passage that the synopsis summarizes was deleted meanwhile",
    lost: "the synopsis was cleared meanwhile, or another process started to regenerate it",
  };
  return { type: "failed", reason: why[saved] };
}

type UpkeepDeps = Pick<OperationDeps, "store" | "defaults" | "models" | "background" | "ids" | "clock" | "log">;

/** Returns the work that refreshes the synopsis after turns; null if the synopsis is off or refreshed only on request. */
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
