// Adds a fact to core memory by hand.
// Invariant: a fact that the module has is not added again.
import { factsSection } from "../../memory/facts/remember-tool.ts";
import { noteOf } from "../../memory/facts/stated-facts.ts";
import type { AgentRecord } from "../../store/port/records.ts";
import type { Writer } from "../../memory/writer.ts";
import type { EditedModule } from "../memory.ts";
import { editModule } from "./edit-module.ts";
import type { OperationDeps } from "./operation-deps.ts";

/** Returns null if the module has the line, or for a blank text. Throws as `MemoryOperations.remember`. */
export function rememberFact(
  deps: Pick<OperationDeps, "store" | "registry" | "clock">,
  agent: AgentRecord,
  { fact, by }: { readonly fact: string; readonly by?: Writer | undefined },
): Promise<EditedModule | null> {
  const line = noteOf(fact);
  return editModule(deps, agent, {
    label: factsSection,
    by,
    change: (core) => {
      if (line === "" || core.read(factsSection).split("\n").includes(line)) return;
      core.append(factsSection, line);
    },
  });
}
