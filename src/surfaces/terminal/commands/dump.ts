// `/dump [N]`: shows the messages in the window, including tool calls and results, like MemGPT's command.
// Invariant: the numbers count back from the end, as `/pop` counts.
import { fileLabel } from "../../../base/message/file-part.ts";
import type { ContentPart } from "../../../base/message/message.ts";
import { span } from "../rows/row.ts";
import type { StoredMessage } from "../runtime-records.ts";
import type { Paragraph } from "../view/view-item.ts";
import { screenText } from "../rows/wrap.ts";
import { type Command, noteOutcome, refusalOutcome } from "./command.ts";

/** Maximum length of a part, in UTF-16 units. */
const maxPartLength = 2000;

export const dumpCommand: Command = {
  name: "dump",
  usage: "/dump [N]",
  summary: "show the last N messages in the window, or all of them",
  manual: "shows the last N messages of the window, or all",
  isAlwaysReady: true,
  async run({ agent, argument }) {
    if (!/^\d{0,9}$/u.test(argument)) {
      return refusalOutcome(`Expected a number of messages, got "${argument.slice(0, 40)}".`, "/dump alone shows all.");
    }
    const wanted = Number(argument);
    const { messages } = agent;
    if (messages.length === 0) return noteOutcome("There is no message in the window.");
    const shown = wanted === 0 ? messages : messages.slice(-wanted);
    return {
      items: [
        {
          kind: "panel",
          paragraphs: shown.flatMap((message, place) => paragraphsOf(message, shown.length - place)),
        },
      ],
    };
  },
};

function paragraphsOf(message: StoredMessage, number: number): readonly Paragraph[] {
  const { role, kind, speaker, status, content } = message;
  const who = kind !== "message" ? kind : (speaker ?? role);
  const mark = status === "interrupted" ? ", interrupted" : "";
  return [
    { indent: 0, spans: [span(`${number}  `, "strong"), span(`${screenText(who)}${mark}`, "faint")] },
    ...content.map((part): Paragraph => ({ indent: 2, spans: [span(clipped(partText(part)))] })),
  ];
}

function partText(part: ContentPart): string {
  switch (part.type) {
    case "text":
    case "state":
      return part.text;
    case "thought":
      return `(thought) ${part.text}`;
    case "file":
      return fileLabel(part);
    case "tool-call":
      return `→ ${part.name} ${part.arguments}`;
    case "tool-result":
      return `← ${part.name}, ${part.status}: ${part.text}`;
  }
}

function clipped(text: string): string {
  return text.length > maxPartLength ? `${text.slice(0, maxPartLength)}…` : text;
}
