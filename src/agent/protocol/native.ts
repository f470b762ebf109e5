// Implements the default protocol: plain text is the reply. The turn continues while the model calls tools; it ends
// with a reply that has text and whose calls only edit memory.
// Invariant: messages are sent as stored, except that messages of the user and of the program get a prefix: the time,
// the mark of the program's messages, and the speaker's name if there is one.
import { formatMinute } from "../../base/calendar.ts";
import type { StoredMessage } from "../../store/port/records.ts";
import { type ContentPart, type Message, textWithFiles } from "../../base/message/message.ts";
import { anthropicTypeOf } from "../../tool/define-tool.ts";
import type { Tool } from "../../tool/tool.ts";
import type { EventDraft, ProtocolRules } from "./protocol.ts";
import { reword, wordsOf } from "./reword.ts";

const pressureAlert =
  "[System alert: the conversation will soon be too long for the context window, and its older part will be replaced by a summary. " +
  "Save what matters to core or archival memory. Do not mention this to the user.]";

const heartbeatAlert =
  "[System alert: a heartbeat. Nobody has written; you may think, use your tools, or say something to the user of your own accord.]";

/** The mark of the program's messages, in the prefix that `render` puts before the text. */
const systemWriter = "system message, not from the user";

export const nativeProtocol: ProtocolRules = {
  name: "native",
  plainText: "text",
  toolChoice: "auto",
  warnsBy: "entry",
  reservedParameters: [],
  minMessages: 1,
  boot: () => [],
  render,
  describe: (tool: Tool) => ({
    name: tool.name,
    description: tool.description,
    parameters: tool.parameters.jsonSchema,
    ...anthropicTypeOf(tool),
  }),
  visibleTextOfCall: () => "",
  visibleTextOf: (message) => (message.role === "tool" ? "" : textWithFiles(message)),
  rewritten: (content, text) => reword(content, wordsOf("text"), { type: "text", text }),
  // The new thought has no signature: the provider's signature is valid only for the original thought.
  rethought: (content, text) => reword(content, wordsOf("thought"), { type: "thought", text }),
  followUp({ calls, isAnswer, demand }) {
    const goesOn = demand?.continues === true || (calls.length > 0 && !isAnswer);
    const missing = goesOn ? [] : (demand?.missing ?? []);
    return {
      continues: goesOn || missing.length > 0,
      events:
        missing.length > 0 ? [alert(`[System alert: before this turn can end, call ${missing.join(" and ")}.]`)] : [],
    };
  },
  raised: (event) => alert(event === "heartbeat" ? heartbeatAlert : pressureAlert),
};

// The model's own messages get no time, because the model would then begin its next replies with a time.
function render({ role, kind, speaker, content, at }: StoredMessage, timeZone: string): Message {
  if (role !== "user") return { role, content };
  const writer = kind === "system" ? [systemWriter] : [];
  const name = speaker === undefined ? [] : [speaker.replaceAll(/[[\]\s]+/gu, " ")];
  return { role, content: withTime(content, `[${[formatMinute(at, timeZone), ...writer, ...name].join(", ")}]`) };
}

function withTime(content: readonly ContentPart[], time: string): readonly ContentPart[] {
  const [first, ...rest] = content;
  if (first?.type !== "text" || first.text === "") return [{ type: "text", text: time }, ...content];
  return [{ ...first, text: `${time} ${first.text}` }, ...rest];
}

function alert(text: string): EventDraft {
  return { role: "user", content: [{ type: "text", text }] };
}
