// The default core memory: who the agent is and who it talks to, with MemGPT's two edit tools.
// Invariant: a tool that fails says what to do and changes nothing; one that succeeds did exactly what it says.
import { z } from "zod";
import { EditMismatchError } from "../../errors.ts";
import { defineTool } from "../../tool/define-tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { BaseMemory } from "./base-memory.ts";
import { defaultModuleLimit, MemoryModule } from "./memory-module.ts";
import { unrenderText } from "./render-modules.ts";

export interface ChatMemoryInit {
  /** Who the agent is. One for all its users. */
  readonly persona?: string;
  /** What the agent knows of the person it talks to. Each user has their own. */
  readonly human?: string;
  /** Code points of each of the two. */
  readonly limit?: number;
}

export class ChatMemory extends BaseMemory {
  static override readonly type: string = "chat";

  constructor({ persona = "", human = "", limit = defaultModuleLimit }: ChatMemoryInit = {}) {
    super();
    this.add(new MemoryModule({ label: "persona", scope: "agent", limit, value: persona }));
    this.add(new MemoryModule({ label: "human", scope: "user", limit, value: human }));
  }

  override tools(): readonly Tool[] {
    return [this.#append(), this.#replace()];
  }

  #append(): Tool {
    return defineTool({
      name: "core_memory_append",
      description: "Append to the contents of core memory.",
      parameters: z.object({
        name: z.string().describe(this.#sections()),
        content: z.string().describe("Content to write to the memory. All unicode (including emojis) are supported."),
      }),
      effects: "memory",
      run: ({ name, content }) => this.edit(name, (value) => (value === "" ? content : `${value}\n${content}`)),
    });
  }

  #replace(): Tool {
    return defineTool({
      name: "core_memory_replace",
      description: "Replace the contents of core memory. To delete memories, use an empty string for new_content.",
      parameters: z.object({
        name: z.string().describe(this.#sections()),
        old_content: z.string().describe("String to replace. Must be an exact match."),
        new_content: z
          .string()
          .describe("Content to write to the memory. All unicode (including emojis) are supported."),
      }),
      effects: "memory",
      run: ({ name, old_content: oldContent, new_content: newContent }) => {
        const { value, count } = replaceAll(name, this.read(name), { oldContent, newContent });
        this.edit(name, () => value);
        return count === 1 ? undefined : `Replaced ${count} occurrences.`;
      },
    });
  }

  #sections(): string {
    return `Section of the memory to be edited (${this.labels().join(" or ")}).`;
  }
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
      `Old content was not found in "${label}". Nothing was changed. old_content must be an exact copy of text that stands there.`,
    );
  }
  return { value: value.replaceAll(wanted, () => newContent), count };
}
