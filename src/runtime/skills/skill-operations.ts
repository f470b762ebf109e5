// Lists, reads, writes and removes the skills of an agent.
// Invariant: a change is a revision of the skill's module, made from its newest text; a removed skill has an empty text.
import { codePointLength, storableText } from "../../base/code-points.ts";
import { ModuleNotFoundError } from "../../base/errors.ts";
import { newSkills } from "../../memory/core/versioned-memory.ts";
import { skillLabel, skillOfLabel } from "../../base/module-label.ts";
import { readSkill, requireSkill } from "../../memory/core/skill.ts";
import type { ModuleRecord } from "../../store/port/records.ts";
import { findAgent, findReadable } from "../agents/find-agent.ts";
import { againstNewest } from "../memory/edit-module.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import type { SkillOperations, SkillWithText } from "./contract.ts";

type Deps = Pick<OperationDeps, "store" | "clock">;

export function createSkillOperations(deps: Deps & Pick<OperationDeps, "registry" | "defaults">): SkillOperations {
  return {
    list: async (agent) => {
      const skills = await skillsOf(deps, (await findReadable(deps, agent)).id);
      return skills.map(({ text: _text, ...skill }) => skill);
    },
    find: async (agent, name) => findSkill(deps, (await findReadable(deps, agent)).id, name),
    async write(agent, name, text, { external = false } = {}) {
      requireSkill(name, text);
      const { id } = await findAgent(deps, agent);
      await putSkill(deps, id, { name, text, origin: external ? "import" : "user" });
      const { text: _text, ...skill } = await findSkill(deps, id, name);
      return skill;
    },
    async remove(agent, name) {
      const { id } = await findAgent(deps, agent);
      await findSkill(deps, id, name);
      await putSkill(deps, id, { name, text: "", origin: "user" });
    },
  };
}

interface SkillPut {
  readonly name: string;
  readonly text: string;
  readonly origin: "user" | "import";
}

/** Stores a checked text as the text of a skill. If the text is the same as before, at most its trust changes. */
export async function putSkill(deps: Deps, agentId: string, { name, text, origin }: SkillPut): Promise<void> {
  const { modules } = deps.store;
  const label = skillLabel(name);
  const after = storableText(text);
  await againstNewest(deps, async () => {
    const listed = await modules.list(agentId);
    const { value: before, revision, trust, scope } = listed.find((one) => one.label === label) ?? missing;
    if (before === after && trust === (origin === "user" ? "user" : "external")) return;
    const change = { label, scope, revision, before, after };
    const revisions = new Map(listed.map((one) => [one.label, one.revision]));
    const added = newSkills(revisions, [change]);
    if (added.length > 0) await modules.addMissing(agentId, added);
    await modules.change(agentId, [change], { origin });
  });
}

const missing = { value: "", revision: 0, trust: null, scope: "user" } as const;

export async function skillsOf({ store }: Pick<Deps, "store">, agentId: string): Promise<readonly SkillWithText[]> {
  const skills = (await store.modules.list(agentId)).flatMap(skillOf);
  return skills.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function skillOf({ label, value: text, revision, trust, readOnly }: ModuleRecord): readonly SkillWithText[] {
  const name = skillOfLabel(label);
  if (name === null || text === "") return [];
  const { description } = readSkill(text);
  return [{ name, description, label, length: codePointLength(text), revision, trust, readOnly, text }];
}

async function findSkill(deps: Pick<Deps, "store">, agentId: string, name: string): Promise<SkillWithText> {
  const skills = await skillsOf(deps, agentId);
  const found = skills.find((skill) => skill.name === name);
  if (found !== undefined) return found;
  throw new ModuleNotFoundError(
    skillLabel(name),
    skills.map(({ label }) => label),
  );
}
