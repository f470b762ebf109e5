// Shows and changes core memory outside of a turn.
// Invariant: every change becomes a revision with its origin, as a change by the model does.
import { ToolError } from "../../base/errors.ts";
import { diffModule, moduleAt } from "../../memory/core/module-history.ts";
import { causeOf } from "../../memory/core/revision-cause.ts";
import { moduleChanges } from "../../memory/core/versioned-memory.ts";
import { undoEdit } from "../../memory/core/undo-edit.ts";
import { trustOfLines } from "../../memory/trust.ts";
import { factsSection } from "../../memory/facts/remember-tool.ts";
import { noteOf } from "../../memory/facts/stated-facts.ts";
import type { CoreMemoryDraft } from "../../tool/tool.ts";
import type { ModuleRecord } from "../../store/port/records.ts";
import { codePointLength } from "../../base/code-points.ts";
import type { MemoryOperations, ModuleView } from "./contract.ts";
import { findAgent, findReadable } from "../agents/find-agent.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { causeOfWriter, changeOf, editModule, loadEditable } from "./edit-module.ts";

/** Maximum number of revisions that are listed by default. */
const defaultListing = 20;

export function createMemoryOperations(
  deps: Pick<OperationDeps, "store" | "registry" | "defaults" | "clock">,
): MemoryOperations {
  const { store } = deps;
  return {
    async show(name) {
      const agent = await findReadable(deps, name);
      return (await store.modules.list(agent.id)).map(toView);
    },

    async at(name, label, revision) {
      const { id: agentId } = await findReadable(deps, name);
      return toView(await moduleAt(store.modules, { agentId, label }, revision));
    },

    async diff(name, label, range = {}) {
      const { id: agentId } = await findReadable(deps, name);
      return diffModule(store.modules, { agentId, label }, range);
    },

    async set(name, label, value) {
      const agent = await findAgent(deps, name);
      const core = await loadEditable(deps, agent);
      const draft = core.memory.draft();
      draft.edit(label, () => value);
      const changes = moduleChanges(core, draft);
      if (changes.length > 0) await store.modules.change(agent.id, changes, { origin: "user" });
      const view = (await store.modules.list(agent.id)).find((module) => module.label === label);
      if (view === undefined) throw new ToolError(`The module "${label}" was deleted meanwhile.`);
      return toView(view);
    },

    async remember(name, fact, { by } = {}) {
      const line = noteOf(fact);
      const change = (core: CoreMemoryDraft): void => {
        if (line === "" || core.read(factsSection).split("\n").includes(line)) return;
        core.append(factsSection, line);
      };
      return editModule(deps, await findAgent(deps, name), { label: factsSection, by, change });
    },

    async edit(name, label, edit, { by } = {}) {
      return editModule(deps, await findAgent(deps, name), { label, change: changeOf(label, edit), by });
    },

    async revisions(name, { label, limit = defaultListing } = {}) {
      const agent = await findReadable(deps, name);
      return store.modules.revisions(agent.id, { limit, ...(label === undefined ? {} : { label }) });
    },

    async cause(name, label, revision) {
      const { id: agentId } = await findReadable(deps, name);
      return causeOf(store, { agentId, label, revision });
    },

    async undo(name, label, { by, ...options } = {}) {
      const agent = await findAgent(deps, name);
      const undoing = { agentId: agent.id, ...(label === undefined ? {} : { label }), ...options };
      return undoEdit(store.modules, undoing, causeOfWriter(by));
    },
  };
}

function toView({ version: _version, ...module }: ModuleRecord): ModuleView {
  const { value, trust, lineTrust } = module;
  const length = codePointLength(value);
  return { ...module, length, lineTrust: lineTrust === null ? null : trustOfLines({ value, trust, lineTrust }) };
}
