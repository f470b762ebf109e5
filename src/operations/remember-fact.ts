// Adds a fact to core memory by hand.
// Invariant: the line follows the newest text, so that writers at the same time keep each other's lines; the trust of the
// section does not rise by it.
import { RevisionConflictError, ToolError } from "../errors.ts";
import { loadCoreMemory, moduleChanges } from "../memory/core/versioned-memory.ts";
import { factsSection } from "../memory/facts/remember-tool.ts";
import { noteOf } from "../memory/facts/stated-facts.ts";
import type { AgentRecord } from "../memory/records.ts";
import type { RememberedFact } from "../runtime/memory.ts";
import type { OperationDeps } from "./operation-deps.ts";

/** Attempts while others write to the same section. */
const maxAttempts = 5;

/** Returns null if the section has the line, or for a blank text. Throws as `MemoryOperations.remember`. */
export async function rememberFact(
  deps: Pick<OperationDeps, "store" | "registry">,
  agent: AgentRecord,
  fact: string,
): Promise<RememberedFact | null> {
  const line = noteOf(fact);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await appendLine(deps, agent, line);
    } catch (error) {
      if (!(error instanceof RevisionConflictError) || attempt === maxAttempts) throw error;
    }
  }
}

async function appendLine(
  { store, registry }: Pick<OperationDeps, "store" | "registry">,
  agent: AgentRecord,
  line: string,
): Promise<RememberedFact | null> {
  const core = loadCoreMemory(registry.classOf(agent.memoryType), await store.modules.list(agent.id));
  const draft = core.memory.draft();
  const before = draft.read(factsSection);
  if (line === "" || before.split("\n").includes(line)) return null;
  draft.append(factsSection, line);
  const trust = core.trust.get(factsSection);
  const [change] = moduleChanges(core, draft);
  if (change === undefined)
    throw new ToolError(`Expected the line to change the module "${factsSection}", got no change.`);
  await store.modules.change(agent.id, [trust === undefined ? change : { ...change, trust }], { origin: "user" });
  const { limit } = draft.module(factsSection);
  return { label: factsSection, revision: change.revision + 1, before, after: change.after, limit };
}
