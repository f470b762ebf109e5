// A core memory with a scratchpad: the state of the task at hand, as fields of a zod schema, beside persona and human.
// Invariant: whatever edits the scratchpad, its new text fits the schema; a text that does not was stored under another one,
// and is shown as it is until it is put right.
import { z } from "zod";
import { DefinitionError, ModuleInvalidError } from "../../errors.ts";
import type { Tool } from "../../tool/tool.ts";
import { codePointLength } from "../../base/code-points.ts";
import type { BaseMemory } from "./base-memory.ts";
import { ChatMemory, type ChatMemoryOptions } from "./chat-memory.ts";
import { defaultModuleLimit, MemoryModule } from "./memory-module.ts";
import { readFields, readScratchpad, scratchpadLabel, updateScratchpad, writeScratchpad } from "./scratchpad-state.ts";
import { defineScratchpadTools, type ScratchpadTools } from "./scratchpad-tools.ts";

/** The fields that a scratchpad has unless a subclass says otherwise. */
export const scratchpadSchema = z.object({
  objective: z.string().default("").describe("What is to be achieved in the end."),
  key_facts: z
    .array(z.string())
    .default([])
    .describe("What the work rests on, one fact an item, with exact names, numbers and ids."),
  decisions: z.array(z.string()).default([]).describe("What was decided, one decision an item."),
  current_step: z.string().default("").describe("What is being done now."),
  blockers: z.array(z.string()).default([]).describe("What stands in the way, one item each, until it is resolved."),
});

export interface ScratchpadMemoryOptions<Schema extends z.ZodObject = typeof scratchpadSchema>
  extends ChatMemoryOptions {
  /** The first state; fields that are left out take their defaults. */
  readonly scratchpad?: z.input<Schema>;
}

/**
 * `ChatMemory` with a third module, `scratchpad`, of scope `user`. For other fields, subclass it with a `type` and a `schema`
 * of its own: `class TicketMemory extends ScratchpadMemory<typeof ticketSchema>`.
 */
export class ScratchpadMemory<Schema extends z.ZodObject = typeof scratchpadSchema> extends ChatMemory {
  static override readonly type: string = "scratchpad";
  /** Each field needs a description, for the model. What it puts out must be what it takes in: no transforms, no dates. */
  static readonly schema: z.ZodObject = scratchpadSchema;

  /** Once they were asked for: deriving them takes longer than most of them run. */
  #defined: ScratchpadTools | null = null;

  /** Throws DefinitionError for a first state that does not fit the schema, or a limit that not even that fits. */
  constructor({ scratchpad, ...init }: ScratchpadMemoryOptions<Schema> = {}) {
    super(init);
    const { limit = defaultModuleLimit } = init;
    const value = firstText(this.#schema, scratchpad);
    const length = codePointLength(value);
    if (length > limit) {
      throw new DefinitionError(
        "memory_definition_invalid",
        `The scratchpad begins with ${length} characters and its limit is ${limit}: raise the limit (coreMemoryLimit).`,
      );
    }
    const description = "The state of the task at hand.";
    this.add(new MemoryModule({ label: scratchpadLabel, description, scope: "user", limit, value }));
  }

  get #schema(): z.ZodObject {
    return (this.constructor as typeof ScratchpadMemory).schema;
  }

  /** What the scratchpad says. Throws ModuleInvalidError when its stored text does not fit the schema. */
  get state(): z.output<Schema> {
    // The cast is sound when a subclass names its own schema as its type parameter.
    return readScratchpad(this.#schema, this.read(scratchpadLabel)) as z.output<Schema>;
  }

  /** The fields by name, as JSON schema. */
  get fields(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
    return this.#define().fields;
  }

  /** Replaces fields, as the tool `scratchpad_update` does. Throws ModuleInvalidError or ModuleLimitError with nothing changed. */
  update(fields: Partial<z.input<Schema>>): void {
    this.edit(scratchpadLabel, (text) => updateScratchpad(this.#schema, text, fields).text);
  }

  /** As `update`, with the fields as the text of a JSON object. */
  updateFromJson(fields: string): void {
    this.edit(scratchpadLabel, (text) => updateScratchpad(this.#schema, text, readFields(this.#schema, fields)).text);
  }

  /** As in every memory; of the scratchpad the new text must be JSON that fits the schema, else ModuleInvalidError. */
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

  protected override textSections(): readonly string[] {
    return this.labels().filter((label) => label !== scratchpadLabel);
  }

  #define(): ScratchpadTools {
    this.#defined ??= defineScratchpadTools(this.#schema);
    return this.#defined;
  }
}

/** Without a state, that of the defaults; of a schema that demands more than there is by default, a blank one. */
function firstText(schema: z.ZodObject, state: unknown): string {
  try {
    return writeScratchpad(schema, JSON.stringify(state ?? {}));
  } catch (error) {
    if (!(error instanceof ModuleInvalidError)) throw error;
    if (state === undefined) return "";
    throw new DefinitionError("memory_definition_invalid", `A memory's first scratchpad is wrong. ${error.message}`);
  }
}
