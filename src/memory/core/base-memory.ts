// Core memory: the labelled modules in the prompt, the skills, and the tools that edit them. Subclass it for a custom memory.
// Invariant: labels are unique, and every change goes through `edit`, which checks the limit before anything is
// changed. A skill is a module that is not in the prompt.
import { argumentError } from "../../base/arguments/argument-checks.ts";
import { DefinitionError, ModuleNotFoundError } from "../../base/errors.ts";
import type { CoreMemoryDraft, Tool } from "../../tool/tool.ts";
import { MemoryModule, type ModuleState, renderModules } from "./memory-module.ts";
import { skillOfLabel } from "../../base/module-label.ts";
import { skillLimit } from "./skill.ts";

/** A memory as JSON: its registered type, and its modules in order. */
export interface MemoryState {
  readonly type: string;
  readonly modules: readonly ModuleState[];
}

/** A class that a runtime can restore. With an empty init, its constructor must create the modules of a new user. */
export interface MemoryClass {
  readonly type: string;
  // `never`, because a subclass may require its own init type.
  new (init: never): BaseMemory;
  fromJSON(state: MemoryState): BaseMemory;
}

/** Core memory of an agent: its modules, and the tools that edit them. Extend it for another kind of memory. */
export class BaseMemory implements CoreMemoryDraft {
  /** The name under which a subclass is stored and restored; each subclass needs a unique one. */
  static readonly type: string = "base";

  readonly #modules = new Map<string, MemoryModule>();
  /** Appended lines by label; null for a module that was edited in any other way. */
  readonly #appended = new Map<string, readonly string[] | null>();
  readonly #readSkills = new Set<string>();

  constructor(init: { readonly modules?: readonly MemoryModule[] } = {}) {
    for (const module of init.modules ?? []) this.add(module);
  }

  /**
   * Restores a stored memory: an instance of this class, with the stored values instead of the constructor's. Modules
   * that only the class has (added in a newer version) keep their initial values, and precede modules that only the state
   * has.
   */
  static fromJSON(this: new (init: never) => BaseMemory, state: MemoryState): BaseMemory {
    const memory = new this({} as never);
    for (const module of state.modules) memory.#modules.set(module.label, new MemoryModule(module, { excess: "keep" }));
    return memory;
  }

  /** Returns the tools that this memory offers to the model. The tools edit this instance. */
  tools(): readonly Tool[] {
    return [];
  }

  /** Appends a module. Throws DefinitionError if its label is taken. */
  add(module: MemoryModule): void {
    if (!(module instanceof MemoryModule)) {
      const place = { call: `${this.constructor.name}.add`, field: "module", got: module };
      throw argumentError("memory", {
        ...place,
        expected: "a MemoryModule",
        remedy: "Pass new MemoryModule({ label }).",
      });
    }
    if (this.#modules.has(module.label)) {
      throw new DefinitionError(
        "memory_definition_invalid",
        `Two modules of one memory are labelled "${module.label}". Give each a unique label.`,
      );
    }
    this.#modules.set(module.label, module);
  }

  /** The modules in the prompt, in their order. */
  get modules(): readonly MemoryModule[] {
    return [...this.#modules.values()].filter(({ label }) => !isSkillLabel(label));
  }

  /** The skills, sorted by name: modules with the label `skills/NAME`. An empty one does not count. */
  get skills(): readonly MemoryModule[] {
    return [...this.#modules.values()]
      .filter(({ label, value }) => value !== "" && isSkillLabel(label))
      .toSorted((one, other) => (one.label < other.label ? -1 : 1));
  }

  /** The labels of the skills whose text was read from this instance. */
  get readSkills(): ReadonlySet<string> {
    return this.#readSkills;
  }

  /** Returns the labels of the modules, in the order of the prompt, and of the skills. */
  labels(): readonly string[] {
    return [...this.#modules.keys()];
  }

  /** Returns a module. Throws ModuleNotFoundError, which lists the existing labels. */
  module(label: string): MemoryModule {
    const module = this.#modules.get(label);
    if (module === undefined) throw new ModuleNotFoundError(label, this.labels());
    return module;
  }

  /** Returns the text of a module. Throws ModuleNotFoundError. */
  read(label: string): string {
    const { value } = this.module(label);
    if (isSkillLabel(label)) this.#readSkills.add(label);
    return value;
  }

  /**
   * Replaces a module's text; a skill is added if it does not exist. Throws ModuleNotFoundError, ModuleReadOnlyError, or
   * ModuleLimitError for a text over the limit, with nothing changed.
   */
  edit(label: string, change: (value: string) => string): void {
    const isNew = !this.#modules.has(label) && skillOfLabel(label) !== null;
    const module = isNew ? new MemoryModule({ label, limit: skillLimit }) : this.module(label);
    this.#modules.set(label, module.withValue(change(module.value)));
    this.#appended.set(label, null);
  }

  /** Adds a text on its own line at the end of a module's text. Throws the same errors as `edit`. */
  append(label: string, text: string): void {
    const before = this.#appended.get(label);
    const line = withoutOuterBreaks(text);
    this.edit(label, (value) => (value === "" || value.endsWith("\n") ? `${value}${line}` : `${value}\n${line}`));
    if (before !== null) this.#appended.set(label, [...(before ?? []), line]);
  }

  /** Returns the lines that were appended to a module; null if it was edited in any other way, or not at all. */
  appended(label: string): readonly string[] | null {
    return this.#appended.get(label) ?? null;
  }

  /**
   * Returns modules as text for the prompt; with labels, only the modules with these labels. A subclass with its own
   * format may always return all modules; the report of a change then repeats all modules.
   */
  render(labels?: readonly string[]): string {
    return renderModules(this.modules, labels);
  }

  /** Returns a copy to edit; discarding it discards the edits. */
  draft(): BaseMemory {
    return (this.constructor as MemoryClass).fromJSON(this.toJSON());
  }

  /** Returns what `fromJSON` restores. */
  toJSON(): MemoryState {
    return {
      type: (this.constructor as MemoryClass).type,
      modules: [...this.#modules.values()].map((one) => one.toJSON()),
    };
  }
}

/** Whether a module's label is the label of a skill: no other label has a slash. */
export function isSkillLabel(label: string): boolean {
  return label.includes("/");
}

/** Returns a text without line breaks at its beginning and its end, which would leave blank lines in a module. */
export function withoutOuterBreaks(text: string): string {
  return text.replace(/^[\r\n]+/, "").replace(/([^\r\n])[\r\n]+$/, "$1");
}
