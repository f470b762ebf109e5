// Registers the memory classes that a runtime can restore, by the type name under which they are stored.
// Invariant: an agent is restored with the class it was created with, or not at all.
import { DefinitionError } from "../../base/errors.ts";
import type { BaseMemory, MemoryClass, MemoryState } from "./base-memory.ts";
import { ChatMemory } from "./chat-memory.ts";
import { FreeMemory } from "./free-memory.ts";
import { ScratchpadMemory } from "./scratchpad-memory.ts";

export interface MemoryRegistry {
  readonly classes: readonly MemoryClass[];
  /** Returns the class registered for a type. Throws DefinitionError, which names the type, for an unknown type. */
  classOf(type: string): MemoryClass;
  restore(state: MemoryState): BaseMemory;
}

/**
 * Creates a registry of these classes and of `ChatMemory`, `FreeMemory` and `ScratchpadMemory`. Throws DefinitionError if two
 * classes have the same type.
 */
export function createMemoryRegistry(classes: readonly MemoryClass[] = []): MemoryRegistry {
  const byType = new Map<string, MemoryClass>([
    [ChatMemory.type, ChatMemory],
    [FreeMemory.type, FreeMemory],
    [ScratchpadMemory.type, ScratchpadMemory],
  ]);
  for (const memoryClass of classes) {
    const taken = byType.get(memoryClass.type);
    if (taken !== undefined && taken !== memoryClass) {
      throw new DefinitionError(
        "memory_definition_invalid",
        `Expected a unique type for each memory class, got "${memoryClass.type}" twice: give each class its own \`static override readonly type\`.`,
      );
    }
    byType.set(memoryClass.type, memoryClass);
  }
  const classOf = (type: string): MemoryClass => {
    const memoryClass = byType.get(type);
    if (memoryClass === undefined) {
      throw new DefinitionError(
        "memory_type_unregistered",
        `Expected a registered memory class, got type "${type}". Registered: ${[...byType.keys()].join(", ")}. Pass your own classes in \`memoryClasses\`.`,
      );
    }
    return memoryClass;
  };
  return { classes: [...byType.values()], classOf, restore: (state) => classOf(state.type).fromJSON(state) };
}
