// `palimpsest/working-memory`: memory of what was seen lately, for many users, without a runtime.
export type { WorkingInput } from "../memory/working/working-entry.ts";
export {
  type WorkingHit,
  WorkingMemory,
  type WorkingMemoryOptions,
  type WorkingSearchOptions,
  type WorkingSearchResult,
} from "../memory/working/working-memory.ts";
