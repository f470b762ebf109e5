// A core memory without modules of its own: an agent has those that are given when it is created, and attached later.
// Invariant: no module is added when an agent is opened, so that a detached one stays away.
import { ChatMemory } from "./chat-memory.ts";

/** As `ChatMemory`, with the modules `persona` and `human` only if a text is given for them. */
export class FreeMemory extends ChatMemory {
  static override readonly type: string = "free";
  protected static override readonly isFree: boolean = true;
}
