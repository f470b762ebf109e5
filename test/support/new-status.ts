// What the status line of a chat says before anything was said.
import { noUsage } from "../../src/base/message/message.ts";
import type { ViewStatus } from "../../src/surfaces/terminal/view/chat-view.ts";

export const newStatus = (change: Partial<ViewStatus> = {}): ViewStatus => ({
  agentName: "sam",
  model: "demo",
  conversationId: "01941f29-7c00-7000",
  window: { tokens: 0, limit: 32768 },
  usage: noUsage,
  price: null,
  waitsForApproval: false,
  ...change,
});
