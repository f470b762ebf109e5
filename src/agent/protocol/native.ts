// The default protocol: plain text is the reply, and the turn goes on while the model calls tools.
// Invariant: what is stored is what the model is sent; nothing is wrapped.
import { textWithFiles } from "../../message.ts";
import type { Tool } from "../../tool/tool.ts";
import type { EventDraft, ProtocolRules } from "./protocol.ts";

const pressureAlert =
  "[System alert: the conversation will soon be too long for the context window, and its older part will be replaced by a summary. " +
  "Save what matters to core or archival memory. Do not mention this to the user.]";

export const nativeProtocol: ProtocolRules = {
  name: "native",
  plainText: "text",
  toolChoice: "auto",
  reservedParameters: [],
  leastMessages: 1,
  boot: () => [],
  render: ({ role, content }) => ({ role, content }),
  describe: ({ name, description, parameters }: Tool) => ({ name, description, parameters: parameters.jsonSchema }),
  visibleText: () => "",
  shownText: (message) => (message.role === "tool" ? "" : textWithFiles(message)),
  followUp: ({ calls, pressure }) => ({ continues: calls.length > 0, events: pressure ? [alert()] : [] }),
};

function alert(): EventDraft {
  return { role: "user", content: [{ type: "text", text: pressureAlert }] };
}
