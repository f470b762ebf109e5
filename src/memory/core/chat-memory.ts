// The default core memory: who the agent is and who it talks to, with MemGPT's edit tools and one that
// writes a whole module.
// Invariant: a failed tool call says what to do and changes nothing; a successful one does exactly what it reports.
import * as z from "zod";
import { number, optional, options, text } from "../../base/arguments/argument-checks.ts";
import { defineTool, ownTool } from "../../tool/define-tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { BaseMemory } from "./base-memory.ts";
import { defaultModuleLimit } from "../../base/default-module-limit.ts";
import { MemoryModule } from "./memory-module.ts";
import { appendTo, replaceIn, rewrite } from "./module-edits.ts";

export interface ChatMemoryOptions {
  /** Who the agent is; shared by all its users. */
  readonly persona?: string;
  /** What the agent knows about the person it talks to; each user has a separate module. */
  readonly human?: string;
  /** Limit of each of the two modules, in code points. */
  readonly limit?: number;
}

const checkInit = options<ChatMemoryOptions>(
  { persona: optional(text), human: optional(text), limit: optional(number) },
  { otherNames: { user: "Use `human`.", name: "Write it into `persona` or `human`.", system: "Use `persona`." } },
);

/** A memory with the modules `persona` and `human`, and tools that append, replace and rewrite text. */
export class ChatMemory extends BaseMemory {
  static override readonly type: string = "chat";
  /** Whether `persona` and `human` are created only if a text is given for them. */
  protected static readonly isFree: boolean = false;

  /** Throws DefinitionError for an option that is unknown or has the wrong type. */
  constructor(init: ChatMemoryOptions = {}) {
    super();
    // The options of a subclass are not checked, because it may have more of them.
    if (new.target === ChatMemory)
      checkInit(init, { of: "memory", call: "ChatMemory", field: "options", isArgument: true });
    const { persona = "", human = "", limit = defaultModuleLimit } = init;
    const isWanted = (value: string): boolean => value !== "" || !new.target.isFree;
    if (isWanted(persona)) this.add(new MemoryModule({ label: "persona", scope: "agent", limit, value: persona }));
    if (isWanted(human)) this.add(new MemoryModule({ label: "human", scope: "user", limit, value: human }));
  }

  /** Returns the labels of modules with plain text. The edit tools offer those that are not read-only. */
  protected textModules(): readonly string[] {
    return this.modules.map(({ label }) => label);
  }

  override tools(): readonly Tool[] {
    const editable = this.textModules().filter((label) => !this.module(label).readOnly);
    return editTools(editable).map((tool) =>
      ownTool({ ...tool, run: (args, context) => tool.run(args, { ...context, core: this }) }, { isInstant: true }),
    );
  }
}

/** Edit tools by the labels of their modules. Agents with the same labels share the tools. */
const defined = new Map<string, readonly Tool[]>();
const maxDefined = 100;

/** Returns the edit tools for these modules, cached: deriving their schemas takes longer than opening an agent. */
function editTools(modules: readonly string[]): readonly Tool[] {
  const key = modules.join(" ");
  const tools = defined.get(key) ?? defineEditTools(modules);
  if (defined.size >= maxDefined) defined.clear();
  defined.set(key, tools);
  return tools;
}

/** Defines the edit tools for these modules; none without modules. Each call edits the core memory in its context. */
function defineEditTools(modules: readonly string[]): readonly Tool[] {
  if (modules.length === 0) return [];
  // The parser accepts any string: for an unknown name, core memory throws an error that lists the existing names.
  const name = z.string().meta({ enum: modules, description: "The section to edit." });
  const append = defineTool({
    name: "core_memory_append",
    description: "Add a line at the end of a section of core memory.",
    parameters: z.object({ name, content: z.string().describe("The text of the new line.") }),
    effects: "memory",
    run: ({ name: label, content }, { core }) => appendTo(core, label, content),
  });
  const replace = defineTool({
    name: "core_memory_replace",
    description: "Replace text in a section of core memory, at every place where it occurs.",
    parameters: z.object({
      name,
      old_content: z.string().describe("The text to replace, exactly as it is in the section."),
      new_content: z.string().describe("The text to write instead; an empty one removes the old text."),
    }),
    effects: "memory",
    run: ({ name: label, old_content: oldContent, new_content: newContent }, { core }) =>
      replaceIn(core, label, { oldContent, newContent }),
  });
  const rewriteWhole = defineTool({
    name: "core_memory_rewrite",
    description: "Write a whole section of core memory anew, to reorder or shorten it. What you leave out is removed.",
    parameters: z.object({ name, content: z.string().describe("The complete new text of the section.") }),
    effects: "memory",
    run: ({ name: label, content }, { core }) => rewrite(core, label, content),
  });
  return [append, replace, rewriteWhole];
}
