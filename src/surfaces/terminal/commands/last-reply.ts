// Defines the slash commands that replace the text or the thought of the last reply, copy the reply, or ask a side question.
import { codePointLength } from "../../../base/code-points.ts";
import { countLabel } from "../rows/labels.ts";
import { notice } from "../view/notices.ts";
import { ifUnchanged, visibleMessages } from "../view/past-items.ts";
import { type Command, command, noteOutcome, refusalOutcome } from "./command.ts";

export const rewriteCommand = replacing("text", "/rewrite Your boat is red.", {
  usage: "/rewrite TEXT",
  summary: "replace the text of the last reply; keeps the old branch",
  manual: "replaces the text of the last reply; the old reply becomes a branch",
});

export const rethinkCommand = replacing("thought", "/rethink She likes boats.", {
  usage: "/rethink TEXT",
  summary: "replace the thought of the last reply; keeps the old branch",
  manual: "replaces the thought of the last reply",
});

function replacing(
  what: "text" | "thought",
  example: string,
  texts: Pick<Command, "usage" | "summary" | "manual">,
): Command {
  return command({
    ...texts,
    async run({ agent, argument }) {
      if (argument === "") return refusalOutcome(`Missing text: ${texts.usage}.`, example);
      const { after: text } = await agent[what === "text" ? "rewrite" : "rethink"](argument, ifUnchanged(agent));
      const note = notice("note", `Replaced the ${what} of the last reply. /branch lists the old reply.`);
      if (what === "text") return { items: [note, { kind: "reply", text, continues: false }] };
      return { items: [note, { kind: "thought", text, milliseconds: 0, isShown: true }] };
    },
  });
}

// The reply is copied by a control sequence, because this also works over SSH.
export const copyCommand = command({
  usage: "/copy",
  summary: "copy the last reply to the clipboard",
  manual: "copies the last reply to the clipboard through the terminal (OSC 52; maximum 74,994 bytes)",
  isAlwaysReady: true,
  async run({ agent, argument, writeClipboard }) {
    if (argument !== "") return refusalOutcome("/copy takes no argument.", "/copy");
    const reply = visibleMessages(agent.messages).findLast(({ role }) => role === "assistant");
    if (reply === undefined) return noteOutcome("There is no reply in the window to copy.");
    if (writeClipboard === undefined)
      return refusalOutcome("This terminal does not allow clipboard writes (OSC 52).", "/export writes a file.");
    const sequence = clipboardSequence(reply.text);
    if (sequence === null)
      return refusalOutcome(
        `The last reply is too long for the clipboard of a terminal: more than ${maxCopyBytes} bytes.`,
        "/export writes a file.",
      );
    writeClipboard(sequence);
    return noteOutcome(
      `Sent the last reply to the terminal's clipboard: ${countLabel(codePointLength(reply.text), "character")}.`,
      "If the clipboard is unchanged, the terminal refused the text (in tmux: set -g set-clipboard on).",
    );
  },
});

export const btwCommand = command({
  usage: "/btw QUESTION",
  summary: "ask a question that is not kept; memory stays as it is",
  manual:
    "answers from the current window, also while the agent works; stores nothing, runs no tool, and does not count in `/usage`",
  isAlwaysReady: true,
  async run({ agent, argument, signal }) {
    if (argument === "") return refusalOutcome("Expected a question.", "/btw What was the name of my boat?");
    const { text } = await agent.ask(argument, { signal });
    return {
      items: [
        { kind: "reply", text, continues: false },
        notice("note", "Outside the conversation: the question and the answer are not kept."),
      ],
    };
  },
});

/** Maximum bytes of a copied text. As base64, they fit into the 100,000 characters that common terminals accept. */
export const maxCopyBytes = 74_994;

/**
 * Returns the control sequence that sets the clipboard to a text, in base64: OSC 52 (xterm, "Manipulate Selection Data").
 * Returns null for a text that is too long, because terminals would truncate it.
 */
export function clipboardSequence(text: string): string | null {
  const bytes = Buffer.from(text, "utf8");
  return bytes.length > maxCopyBytes ? null : `\u001b]52;c;${bytes.toString("base64")}\u0007`;
}
