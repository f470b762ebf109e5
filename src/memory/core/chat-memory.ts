// The default core memory: who the agent is and who it talks to, with MemGPT's two edit tools.
// Invariant: a failed tool call says what to do and changes nothing; a successful one does exactly what it reports.
import * as z from "zod";
import { EditMismatchError } from "../../errors.ts";
import { defineTool, ownTool } from "../../tool/define-tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { BaseMemory } from "./base-memory.ts";
import { defaultModuleLimit, MemoryModule } from "./memory-module.ts";
import { unrenderText } from "./render-modules.ts";

export interface ChatMemoryOptions {
  /** Who the agent is; shared by all its users. */
  readonly persona?: string;
  /** What the agent knows about the person it talks to; each user has a separate one. */
  readonly human?: string;
  /** Limit of each of the two modules, in code points. */
  readonly limit?: number;
}

export class ChatMemory extends BaseMemory {
  static override readonly type: string = "chat";

  /** Cache of the edit tools, valid for these sections. */
  #defined: { readonly sections: string; readonly tools: readonly Tool[] } | null = null;

  constructor({ persona = "", human = "", limit = defaultModuleLimit }: ChatMemoryOptions = {}) {
    super();
    this.add(new MemoryModule({ label: "persona", scope: "agent", limit, value: persona }));
    this.add(new MemoryModule({ label: "human", scope: "user", limit, value: human }));
  }

  /** Returns a copy to edit. It shares the cached tools: deriving their schemas takes longer than most of them run. */
  override draft(): BaseMemory {
    const draft = super.draft();
    if (draft instanceof ChatMemory) draft.#defined = this.#defined;
    return draft;
  }

  /** Returns the labels that the edit tools offer to the model: those of modules with plain text. */
  protected textSections(): readonly string[] {
    return this.labels();
  }

  override tools(): readonly Tool[] {
    const sections = this.textSections().join(" or ");
    if (this.#defined?.sections !== sections) this.#defined = { sections, tools: defineEditTools(sections) };
    return this.#defined.tools.map((tool) =>
      ownTool({ ...tool, run: (args, context) => tool.run(args, { ...context, core: this }) }),
    );
  }
}

/** Defines the edit tools for a memory with these sections. They edit the core memory of their context. */
function defineEditTools(sections: string): readonly Tool[] {
  const section = `Section of the memory to be edited (${sections}).`;
  const append = defineTool({
    name: "core_memory_append",
    description: "Append to the contents of core memory.",
    parameters: z.object({
      name: z.string().describe(section),
      content: z.string().describe("Content to write to the memory. All unicode (including emojis) are supported."),
    }),
    effects: "memory",
    run: ({ name, content }, { core }) => core.append(name, content),
  });
  const replace = defineTool({
    name: "core_memory_replace",
    description: "Replace the contents of core memory. To delete memories, use an empty string for new_content.",
    parameters: z.object({
      name: z.string().describe(section),
      old_content: z.string().describe("String to replace. Must be an exact match."),
      new_content: z.string().describe("Content to write to the memory. All unicode (including emojis) are supported."),
    }),
    effects: "memory",
    run: ({ name, old_content: oldContent, new_content: newContent }, { core }) => {
      const { value, count } = replaceAll(name, core.read(name), { oldContent, newContent });
      core.edit(name, () => value);
      return count === 1 ? undefined : `Replaced ${count} occurrences.`;
    },
  });
  return [append, replace];
}

interface Replacement {
  readonly oldContent: string;
  readonly newContent: string;
}

function replaceAll(
  label: string,
  value: string,
  { oldContent, newContent }: Replacement,
): { value: string; count: number } {
  if (oldContent === "") {
    throw new EditMismatchError(
      "old_content cannot be an empty string (must specify old_content to replace). Nothing was changed. To add text, use core_memory_append.",
    );
  }
  const wanted = value.includes(oldContent) ? oldContent : unrenderText(oldContent);
  const count = value.split(wanted).length - 1;
  if (count === 0) {
    throw new EditMismatchError(
      `Old content was not found in "${label}". Nothing was changed. old_content must be an exact copy of text in that section.`,
    );
  }
  return { value: value.replaceAll(wanted, () => newContent), count };
}
