// The default limit of a module of core memory, for the setting and for every memory class.
// Invariant: docs/memory.md has the measurements that it was chosen from.

/** In code points. MemGPT's limit of 2,000 is reached by the module about a user after about 70 messages. */
export const defaultModuleLimit = 4000;
