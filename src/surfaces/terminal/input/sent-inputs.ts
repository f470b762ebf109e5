// Holds the inputs that can be recalled: of this chat, of earlier chats, and of other programs in the same conversation.
// Invariant: oldest first; inputs of other programs come before those of chats on this machine.
import type { ChatHost } from "../chat-host.ts";
import type { ChatStore } from "../chat-store.ts";
import { notice } from "../view/notices.ts";
import { pastInputs } from "../view/past-items.ts";
import type { Agent } from "../runtime-records.ts";

export function createSentInputs(store: ChatStore, host: ChatHost | undefined) {
  let sent = host?.inputs ?? [];
  let isReported = false;
  const report = (reason: string): void => {
    isReported = true;
    const text = `Inputs are not saved for the next chat: ${reason}.`;
    store.dispatch({ type: "show", items: [notice("warning", text)] });
  };
  return {
    /** Adds an input. With a host, also saves it for later chats. */
    remember(input: string): void {
      sent = [...sent, input];
      void host?.keepInput(input).then((reason) => {
        if (reason !== null && !isReported) report(reason);
      });
    },
    /** Returns all inputs that can be recalled in a conversation with this agent. */
    with(agent: Agent): readonly string[] {
      // If an input had files, its stored message is the typed text and, on the lines below, the list of the files.
      const isKnown = (input: string): boolean =>
        sent.some((known) => input === known || input.startsWith(`${known}\n[`));
      return [...pastInputs(agent.messages).filter((input) => !isKnown(input)), ...sent];
    },
  };
}

export type SentInputs = ReturnType<typeof createSentInputs>;
