// A module: a labelled text of core memory with a length limit. Also renders the text for models: for the prompt (in MemGPT's
// format), and for the result of an edit.
// Invariant: modules are immutable: an edit returns a new one or throws, so a failed edit leaves nothing behind. A rendered
// module depends on that module alone. A value cannot close its own tag or open another, because tags named after the
// memory's labels, and the runtime's reserved tags, are written with `&lt;`.
import { flag, nullable, number, oneOf, optional, options, text } from "../../base/arguments/argument-checks.ts";
import { codePointLength, storableText } from "../../base/code-points.ts";
import { defaultModuleLimit } from "../../base/default-module-limit.ts";
import { DefinitionError, ModuleLimitError, ModuleReadOnlyError } from "../../base/errors.ts";
import { escapeReservedTags } from "../../base/message/reserved-tags.ts";
import { plainLabel, skillOfLabel } from "../../base/module-label.ts";
import type { ModuleScope } from "../../store/port/records.ts";
import type { CoreMemoryModule } from "../../tool/tool.ts";

export interface ModuleOptions {
  /**
   * Letters, digits, `_` and `-`, because the label names the tag around the value in the prompt. `skills/NAME` makes
   * the module a skill: the prompt shows only its name and description.
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

  /** Returns a module with another value; this one does not change. Throws ModuleReadOnlyError or ModuleLimitError. */
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

/**
 * Returns `<persona characters="12/4000">`, the value and `</persona>` for each module; with labels, only for the modules with
 * these labels. The tag also has the module's description, if there is one, and a warning when the module is nearly full.
 */
export function renderModules(modules: readonly MemoryModule[], labels?: readonly string[]): string {
  const tags = new RegExp(`<(?=/?(?:${modules.map((module) => module.label).join("|")})(?![\\w-]))`, "gi");
  return modules
    .filter(({ label }) => labels === undefined || labels.includes(label))
    .map((module) => {
      const value = escapeReservedTags(module.value.replace(tags, "&lt;"));
      return `<${module.label} ${attributesOf(module)}>\n${value}\n</${module.label}>`;
    })
    .join("\n");
}

function attributesOf(module: MemoryModule): string {
  const { length, limit, description } = module;
  const share = filledShare(module);
  return [
    `characters="${length}/${limit}"`,
    ...(description === null || description.trim() === "" ? [] : [`description="${attributeText(description)}"`]),
    ...(share === null ? [] : [`warning="${share}% full"`]),
  ].join(" ");
}

const entities: Readonly<Record<string, string>> = { '"': "&quot;", "<": "&lt;", ">": "&gt;" };

function attributeText(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .trim()
    .replace(/["<>]/g, (character) => entities[character] ?? character);
}

/** A module is reported as nearly full if its text has at least this share of its limit. */
const nearlyFull = 0.8;

/** Returns the filled share in percent if the module is nearly full; null otherwise. */
function filledShare({ length, limit }: Pick<CoreMemoryModule, "length" | "limit">): number | null {
  return length < nearlyFull * limit ? null : Math.floor((100 * length) / limit);
}

/** Undoes the escaping of tags in text that the model copied from its prompt. */
export function unrenderText(text: string): string {
  return text.replaceAll("&lt;", "<");
}

/**
 * Returns the state of a module after an edit: its length, a warning if it is nearly full, and the changed lines; the
 * model has already seen the rest. `before`: the module's text before the edit; null if the model wrote the whole text.
 */
export function reportEdit(module: CoreMemoryModule, before: string | null): string {
  const { label, value, limit } = module;
  if (value === "") return emptyReport(label);
  const share = filledShare(module);
  const warning =
    share === null ? "" : ` It is ${share}% full: shorten it, or move what is finished to archival memory.`;
  const lines = before === null ? "" : ` ${changedLines(before, value)}`;
  return `${reportedLength(module)} of ${limit} characters.${warning}${lines}`;
}

/** Returns whether a text contains the result (`reportEdit`) of an edit after which the module had this value. */
export function isReported(text: string, { label, value }: Pick<CoreMemoryModule, "label" | "value">): boolean {
  if (value === "") return text.includes(emptyReport(label));
  return text.includes(`${reportedLength({ label, length: codePointLength(value) })} of `);
}

function emptyReport(label: string): string {
  return `"${label}" is empty now.`;
}

function reportedLength({ label, length }: Pick<CoreMemoryModule, "label" | "length">): string {
  return `"${label}" now has ${length}`;
}

/** Returns the new lines from the first to the last changed one; if lines were only removed, their numbers. */
function changedLines(before: string, after: string): string {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const shorter = Math.min(old.length, now.length);
  let first = 0;
  while (first < shorter && old[first] === now[first]) first += 1;
  let rest = 0;
  while (rest < shorter - first && old.at(-1 - rest) === now.at(-1 - rest)) rest += 1;
  const lines = now.slice(first, now.length - rest);
  if (lines.length > 0) return `${linesText(first, lines.length)} now:\n${lines.join("\n")}`;
  const removed = old.length - rest - first;
  return removed === 0 ? "Its text is as before." : `Removed: ${linesText(first, removed).toLowerCase()}.`;
}

function linesText(first: number, count: number): string {
  return count === 1 ? `Line ${first + 1}` : `Lines ${first + 1} to ${first + count}`;
}
