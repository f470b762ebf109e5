// One labelled text of core memory with a length limit.
// Invariant: modules are immutable: an edit returns a new one or throws, so a failed edit leaves nothing behind.
import { flag, nullable, number, oneOf, optional, options, text } from "../../base/arguments/argument-checks.ts";
import { codePointLength, storableText } from "../../base/code-points.ts";
import { defaultModuleLimit } from "../../base/default-module-limit.ts";
import { DefinitionError, ModuleLimitError, ModuleReadOnlyError } from "../../base/errors.ts";
import { plainLabel, skillOfLabel } from "../../base/module-label.ts";
import type { ModuleScope } from "../../store/port/records.ts";

export interface ModuleOptions {
  /**
   * Letters, digits, `_` and `-`: the label is the name of the tag around the value in the prompt. `skills/NAME` is a skill, of
   * which the prompt shows only the name and the description.
   */
  readonly label: string;
  readonly value?: string;
  /** Maximum length of the value, in code points. */
  readonly limit?: number;
  readonly description?: string | null;
  /** `user` (the default): each user of the agent has a separate module. `agent`: all users share one. */
  readonly scope?: ModuleScope;
  readonly readOnly?: boolean;
}

const checkModule = options<ModuleOptions>(
  {
    label: text,
    value: optional(text),
    limit: optional(number),
    description: optional(nullable(text)),
    scope: optional(oneOf<ModuleScope>("user", "agent")),
    readOnly: optional(flag),
  },
  { otherNames: { maxLength: "Use `limit`.", text: "Use `value`.", name: "Use `label`.", content: "Use `value`." } },
);

/** A module as JSON. */
export interface ModuleState {
  readonly label: string;
  readonly scope: ModuleScope;
  readonly description: string | null;
  readonly limit: number;
  readonly value: string;
  readonly readOnly: boolean;
}

/** A module of core memory: a text under a label, of limited length. */
export class MemoryModule implements ModuleState {
  readonly label: string;
  readonly scope: ModuleScope;
  readonly description: string | null;
  readonly limit: number;
  readonly value: string;
  readonly readOnly: boolean;

  /**
   * Creates a module. Throws DefinitionError for an invalid label or limit, and ModuleLimitError for a value over the limit.
   * With `excess: "keep"`, a stored value over its limit is restored: it stays readable, and only a shorter value can replace
   * it.
   */
  constructor(init: ModuleOptions, { excess = "refuse" }: { readonly excess?: "refuse" | "keep" } = {}) {
    if (excess === "refuse")
      checkModule(init, { of: "memory", call: "MemoryModule", field: "options", isArgument: true });
    const {
      label,
      value = "",
      limit = defaultModuleLimit,
      description = null,
      scope = "user",
      readOnly = false,
    } = init;
    checkDefinition(label, limit);
    this.label = label;
    this.scope = scope;
    this.description = description;
    this.limit = limit;
    this.value = storableText(value);
    this.readOnly = readOnly;
    if (excess === "refuse" && this.length > limit) throw new ModuleLimitError(label, limit, this.length);
  }

  /** Length of the value in code points. */
  get length(): number {
    return codePointLength(this.value);
  }

  /**
   * Returns the module with another value. Throws ModuleReadOnlyError or ModuleLimitError; this module does not change.
   */
  withValue(value: string): MemoryModule {
    if (this.readOnly) throw new ModuleReadOnlyError(this.label);
    const next = new MemoryModule({ ...this.toJSON(), value }, { excess: "keep" });
    const shrinks = this.length > this.limit && next.length < this.length;
    if (next.length > this.limit && !shrinks) throw new ModuleLimitError(this.label, this.limit, next.length);
    return next;
  }

  toJSON(): ModuleState {
    const { label, scope, description, limit, value, readOnly } = this;
    return { label, scope, description, limit, value, readOnly };
  }
}

/** Maximum limit of a module's text, in code points: more than any window holds. */
const maxLimit = 10_000_000;

function checkDefinition(label: string, limit: number): void {
  if (!plainLabel.test(label) && skillOfLabel(label) === null) {
    throw new DefinitionError(
      "memory_definition_invalid",
      `Expected a module label of 1 to 64 letters, digits, "_" or "-", or "skills/NAME", got "${label}".`,
    );
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
    throw new DefinitionError(
      "memory_definition_invalid",
      `Expected the limit of module "${label}" to be a whole number from 1 to ${maxLimit}, got ${limit}.`,
    );
  }
}
