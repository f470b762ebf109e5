// A core memory with a scratchpad in addition to persona and human: the state of the current task, as fields of a zod
// schema.
// Invariant: every edit leaves a text that fits the schema; a text that was stored under another schema is shown as it
// is until it is corrected.
import * as z from "zod";
import { number, optional, options as optionsOf, record, text } from "../../base/arguments/argument-checks.ts";
import { DefinitionError, ModuleInvalidError } from "../../base/errors.ts";
import type { Tool } from "../../tool/tool.ts";
import { codePointLength } from "../../base/code-points.ts";
import type { BaseMemory } from "./base-memory.ts";
import { ChatMemory, type ChatMemoryOptions } from "./chat-memory.ts";
import { defaultModuleLimit } from "../../base/default-module-limit.ts";
import { MemoryModule } from "./memory-module.ts";
import { readFields, readScratchpad, scratchpadLabel, updateScratchpad, writeScratchpad } from "./scratchpad-state.ts";
import { defineScratchpadTools, type ScratchpadTools } from "./scratchpad-tools.ts";

/** The fields of a scratchpad, unless a subclass defines other fields. */
export const scratchpadSchema = z.object({
  objective: z.string().default("").describe("What the task is to achieve."),
  key_facts: z
    .array(z.string())
    .default([])
    .describe("Facts that the work relies on, one per item, with exact names, numbers and ids."),
  decisions: z.array(z.string()).default([]).describe("Decisions made so far, one per item."),
  current_step: z.string().default("").describe("The step being worked on now."),
  blockers: z.array(z.string()).default([]).describe("Obstacles, one per item, until they are resolved."),
});

export interface ScratchpadMemoryOptions<Schema extends z.ZodObject = typeof scratchpadSchema>
  extends ChatMemoryOptions {
  /** The initial state; absent fields take their defaults. */
  readonly scratchpad?: z.input<Schema>;
}

const checkOptions = optionsOf<ScratchpadMemoryOptions>({
  persona: optional(text),
  human: optional(text),
  limit: optional(number),
  scratchpad: optional(record),
});

/**
 * `ChatMemory` with a third module, `scratchpad`, of scope `user`. For other fields, subclass it with a custom `type`
 * and `schema`: `class TicketMemory extends ScratchpadMemory<typeof ticketSchema>`.
 */
export class ScratchpadMemory<Schema extends z.ZodObject = typeof scratchpadSchema> extends ChatMemory {
  static override readonly type: string = "scratchpad";
  /** Each field needs a description for the model, and equal types of input and output: no transforms, no dates. */
  static readonly schema: z.ZodObject = scratchpadSchema;

  /** Cached, because deriving the tools takes longer than most of their calls. */
  #defined: ScratchpadTools | null = null;

  /** Throws DefinitionError for an initial state that does not fit the schema or exceeds the limit. */
  constructor(options: ScratchpadMemoryOptions<Schema> = {}) {
    // The options of a subclass are not checked, because it may have more of them.
    if (new.target === ScratchpadMemory)
      checkOptions(options, { of: "memory", call: "ScratchpadMemory", field: "options", isArgument: true });
    const { scratchpad, ...init } = options;
    super(init);
    const { limit = defaultModuleLimit } = init;
    const value = firstText(this.#schema, scratchpad);
    const length = codePointLength(value);
    if (length > limit) {
      throw new DefinitionError(
        "memory_definition_invalid",
        `The initial scratchpad has ${length} characters and its limit is ${limit}: raise the limit (coreMemoryLimit).`,
      );
    }
    const description = "The state of the current task.";
    this.add(new MemoryModule({ label: scratchpadLabel, description, scope: "user", limit, value }));
  }

  get #schema(): z.ZodObject {
    return (this.constructor as typeof ScratchpadMemory).schema;
  }

  /** The parsed state. Throws ModuleInvalidError if the stored text does not fit the schema. */
  get state(): z.output<Schema> {
    // The cast is sound if a subclass passes the type of its own schema as the type parameter.
    return readScratchpad(this.#schema, this.read(scratchpadLabel)) as z.output<Schema>;
  }

  /** The fields by name, as JSON Schema. */
  get fields(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
    return this.#define().fields;
  }

  /** Replaces fields, as `scratchpad_update` does. Throws ModuleInvalidError or ModuleLimitError, with nothing changed. */
  update(fields: Partial<z.input<Schema>>): void {
    this.edit(scratchpadLabel, (text) => updateScratchpad(this.#schema, text, fields).text);
  }

  /** Like `update`, with the fields as JSON text. */
  updateFromJson(fields: string): void {
    this.edit(scratchpadLabel, (text) => updateScratchpad(this.#schema, text, readFields(this.#schema, fields)).text);
  }

  /**
   * Replaces a module's text. Throws the same errors as `BaseMemory.edit`, and ModuleInvalidError for scratchpad text that is
   * not JSON or does not fit the schema.
   */
  override edit(label: string, change: (value: string) => string): void {
    const checked = (text: string): string => writeScratchpad(this.#schema, change(text));
    super.edit(label, label === scratchpadLabel ? checked : change);
  }

  override draft(): BaseMemory {
    const draft = super.draft();
    if (draft instanceof ScratchpadMemory) draft.#defined = this.#defined;
    return draft;
  }

  override tools(): readonly Tool[] {
    const own = this.#define().tools.map((tool) => ({
      ...tool,
      run: (args: unknown, context: Parameters<Tool["run"]>[1]) => tool.run(args, { ...context, core: this }),
    }));
    return [...super.tools(), ...own];
  }

  protected override textModules(): readonly string[] {
    return super.textModules().filter((label) => label !== scratchpadLabel);
  }

  #define(): ScratchpadTools {
    this.#defined ??= defineScratchpadTools(this.#schema);
    return this.#defined;
  }
}

/** Returns the initial text. Without a state, it has the schema's defaults, or is blank if a required field has no default. */
function firstText(schema: z.ZodObject, state: unknown): string {
  try {
    return writeScratchpad(schema, JSON.stringify(state ?? {}));
  } catch (error) {
    if (!(error instanceof ModuleInvalidError)) throw error;
    if (state === undefined) return "";
    throw new DefinitionError(
      "memory_definition_invalid",
      `The initial scratchpad of a memory does not fit its schema. ${error.message}`,
    );
  }
}
