// The memory classes that a runtime can restore, by the type under which they are stored.
// Invariant: an agent comes back as the class it was made with, or not at all.
import { DefinitionError } from "../../errors.ts";
import type { BaseMemory, MemoryClass, MemoryState } from "./base-memory.ts";
import { ChatMemory } from "./chat-memory.ts";
import { ScratchpadMemory } from "./scratchpad-memory.ts";

export interface MemoryRegistry {
  /** Throws DefinitionError naming the type when no class is registered under it. */
  classOf(type: string): MemoryClass;
  restore(state: MemoryState): BaseMemory;
}

/** `ChatMemory` and `ScratchpadMemory` are always registered. Throws DefinitionError when two classes have one type. */
export function createMemoryRegistry(classes: readonly MemoryClass[] = []): MemoryRegistry {
  const byType = new Map<string, MemoryClass>([
    [ChatMemory.type, ChatMemory],
    [ScratchpadMemory.type, ScratchpadMemory],
  ]);
  for (const memoryClass of classes) {
    const taken = byType.get(memoryClass.type);
    if (taken !== undefined && taken !== memoryClass) {
      throw new DefinitionError(
        "memory_definition_invalid",
        `Two memory classes have the type "${memoryClass.type}": give each its own \`static override readonly type\`.`,
      );
    }
    byType.set(memoryClass.type, memoryClass);
  }
  const classOf = (type: string): MemoryClass => {
    const memoryClass = byType.get(type);
    if (memoryClass === undefined) {
      throw new DefinitionError(
        "memory_type_unregistered",
        `No memory class of type "${type}" is registered; there are: ${[...byType.keys()].join(", ")}. A class of your own is passed in \`memoryClasses\`.`,
      );
    }
    return memoryClass;
  };
  return { classOf, restore: (state) => classOf(state.type).fromJSON(state) };
}
