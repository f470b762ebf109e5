// The inputs that can be recalled: those of this chat, of earlier chats, and of the conversation in other programs.
// Invariant: oldest first; the last input from this machine is last.
import type { ChatHost } from "../chat-host.ts";
import type { ChatStore } from "../chat-store.ts";
import { notice } from "../view/notices.ts";
import { pastInputs } from "../view/past-items.ts";
import type { Agent } from "../runtime-records.ts";

export interface SentInputs {
  /** Adds an input. With a host, also saves it for later chats. */
  remember(input: string): void;
  /** Returns all inputs that can be recalled in a conversation with this agent. */
  with(agent: Agent): readonly string[];
}

export function createSentInputs(store: ChatStore, host: ChatHost | undefined): SentInputs {
  let sent = host?.inputs ?? [];
  let isReported = false;
  const report = (reason: string): void => {
    isReported = true;
    const text = `Inputs are not saved for the next chat: ${reason}.`;
    store.dispatch({ type: "show", items: [notice("warning", text)] });
  };
  return {
    remember(input) {
      sent = [...sent, input];
      void host?.keepInput(input).then((reason) => {
        if (reason !== null && !isReported) report(reason);
      });
    },
    with(agent) {
      // The stored message of an input with files lists the files below the typed text.
      const isKnown = (input: string): boolean =>
        sent.some((known) => input === known || input.startsWith(`${known}\n[`));
      return [...pastInputs(agent.messages).filter((input) => !isKnown(input)), ...sent];
    },
  };
}
