// Defines the default limit of a module of core memory, for the setting `coreMemoryLimit` and for every memory class.
// Invariant: docs/memory.md has the measurements on which the choice of this limit is based.

/** The limit in code points. With MemGPT's limit of 2,000, the module about a user is full after about 70 messages. */
export const defaultModuleLimit = 4000;
