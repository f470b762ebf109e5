// A core memory without modules of its own: an agent has only modules given at its creation or attached later.
// Invariant: no module is added when an agent is opened, so that a detached module does not come back.
import { ChatMemory } from "./chat-memory.ts";

/** Like `ChatMemory`, but with the modules `persona` and `human` only if a text is given for them. */
export class FreeMemory extends ChatMemory {
  static override readonly type: string = "free";
  protected static override readonly isFree: boolean = true;
}
