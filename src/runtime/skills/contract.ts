// Defines the operations on an agent's skills: list, read, write and remove them.
// Invariant: each operation acts for the runtime's user only. No text of a skill is ever run.
import { form, type OptionsOf, type RecordOf } from "../../base/arguments/forms.ts";
import { trustForm } from "../../store/port/records.ts";
import { chat, type Contract, optionalOptions, read, value } from "../contract.ts";

const skillFields = {
  name: form.text,
  description: form.text,
  /** The label of the skill's module: `skills/NAME`. Revisions of the skill have this label. */
  label: form.text,
  /** Length of the text in code points. */
  length: form.ordinal,
  revision: form.ordinal,
  /** The lowest trust of the lines of the skill. */
  trust: trustForm,
  readOnly: form.flag,
};

export interface Skill extends RecordOf<typeof skillFields> {}

/** `text`: the whole file SKILL.md. */
const skillTextFields = { ...skillFields, text: form.text };

export interface SkillWithText extends RecordOf<typeof skillTextFields> {}

const skillOptions = {
  /** Whether the text comes from another person: then it gets the trust `external` instead of `user`. Default false. */
  external: form.flag,
};

export interface SkillOptions extends OptionsOf<typeof skillOptions> {}

export interface SkillOperations {
  /** Returns the skills of an agent, sorted by name. */
  list(agent: string): Promise<readonly Skill[]>;
  /** Returns a skill with its text. Throws ModuleNotFoundError. */
  find(agent: string, name: string): Promise<SkillWithText>;
  /**
   * Writes a skill, or replaces its text, as a revision. Throws RequestError `input_invalid` for an invalid name or
   * text, ModuleReadOnlyError, and ToolError if the agent has no room for another module, with nothing changed.
   */
  write(agent: string, name: string, text: string, options?: SkillOptions): Promise<Skill>;
  /** Removes a skill, as a revision that `memory.undo` can undo. Throws ModuleNotFoundError, ModuleReadOnlyError. */
  remove(agent: string, name: string): Promise<void>;
}

const agent = value("agent", form.text);
const name = value("name", form.text);

export const skillContract = {
  list: { args: [agent], http: read("GET /agents/:agent/skills", "List the skills of an agent", [skillFields]) },
  find: { args: [agent, name], http: read("GET /agents/:agent/skills/:name", "Get a skill", skillTextFields) },
  write: {
    args: [agent, name, value("text", form.text), optionalOptions(skillOptions)],
    http: chat("PUT /agents/:agent/skills/:name", "Write a skill", skillFields),
  },
  remove: { args: [agent, name], http: chat("DELETE /agents/:agent/skills/:name", "Remove a skill", null) },
} as const satisfies Contract<SkillOperations>;
