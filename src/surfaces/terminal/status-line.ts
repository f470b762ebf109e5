// Shows the status line that the user has configured. The host makes the line from facts about the chat.
// Invariant: one line is made at a time, and none while the facts are the same. A failure is reported once, and the usual line
// is shown instead.
import { messageOf } from "../../base/thrown-values.ts";
import { dollarsOf } from "../../base/message/message.ts";
import type { ChatHost, StatusFacts } from "./chat-host.ts";
import type { ChatStore } from "./chat-store.ts";
import { windowPercent } from "./rows/status-rows.ts";
import type { ViewState } from "./view/chat-view.ts";
import { notice } from "./view/notices.ts";

/** Shows what `statusLine` returns, and calls it again when a value in `StatusFacts` changes. */
export function followStatus(store: ChatStore, statusLine: NonNullable<ChatHost["statusLine"]>): void {
  const { dispatch } = store;
  let known = "";
  let isReading = false;
  let isReported = false;
  const read = async (): Promise<void> => {
    if (isReading) return;
    const facts = factsOf(store.getState());
    const text = JSON.stringify(facts);
    if (text === known) return;
    isReading = true;
    known = text;
    try {
      dispatch({ type: "set", change: { statusLine: await statusLine(facts) } });
    } catch (error) {
      dispatch({ type: "set", change: { statusLine: null } });
      const failure = `The configured status line failed: ${messageOf(error)}`;
      if (!isReported) dispatch({ type: "show", items: [notice("warning", failure)] });
      isReported = true;
    } finally {
      isReading = false;
    }
    // Reads again, because the facts may have changed while the line was made.
    await read();
  };
  store.subscribe(() => void read());
  void read();
}

function factsOf({ status, approvalMode }: Pick<ViewState, "status" | "approvalMode">): StatusFacts {
  const { agentName, model, conversationId, window, usage, price } = status;
  return {
    agent: agentName,
    model,
    conversation: conversationId,
    windowTokens: window.tokens,
    windowLimit: window.limit,
    windowPercent: windowPercent(window),
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cost: price === null ? null : dollarsOf(usage, price),
    approvals: approvalMode,
  };
}
