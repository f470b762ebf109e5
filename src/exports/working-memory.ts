// `palimpsest/working-memory`: searchable memory of recent texts, for many users, without a runtime.
export type { WorkingInput } from "../memory/working/working-entry.ts";
export {
  type WorkingHit,
  WorkingMemory,
  type WorkingMemoryOptions,
  type WorkingSearchOptions,
  type WorkingSearchResult,
} from "../memory/working/working-memory.ts";
