// What was sent: in this chat, in those before it, and in a conversation from elsewhere.
// Invariant: oldest first; what was sent last from this machine stands last.
import type { ChatHost } from "../chat-host.ts";
import type { ChatStore } from "../chat-store.ts";
import { pastInputs } from "../view/past-items.ts";
import type { Agent } from "../runtime-records.ts";

export interface SentInputs {
  /** Also for chats to come, where there is a host that keeps it. */
  remember(input: string): void;
  /** All that can be recalled while one talks with this agent. */
  with(agent: Agent): readonly string[];
}

export function createSentInputs(store: ChatStore, host: ChatHost | undefined): SentInputs {
  let sent = host?.inputs ?? [];
  let isReported = false;
  const report = (reason: string): void => {
    isReported = true;
    const text = `What you send is not kept for the next chat: ${reason}.`;
    store.dispatch({ type: "show", items: [{ kind: "notice", level: "warning", text }] });
  };
  return {
    remember(input) {
      sent = [...sent, input];
      void host?.keepInput(input).then((reason) => {
        if (reason !== null && !isReported) report(reason);
      });
    },
    with(agent) {
      // A message that went with files names them below what was typed.
      const isKnown = (input: string): boolean =>
        sent.some((known) => input === known || input.startsWith(`${known}\n[`));
      return [...pastInputs(agent.messages).filter((input) => !isKnown(input)), ...sent];
    },
  };
}
