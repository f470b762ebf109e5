// The limit of a section of core memory where none is given: of the setting, and of every memory class.
// Invariant: docs/memory.md has the measurements that it was chosen from.

/** In code points. MemGPT's is 2,000, which a user's section reaches after about 70 messages. */
export const defaultModuleLimit = 4000;
