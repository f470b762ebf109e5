// `/copy`: copies the last reply to the clipboard by a terminal control sequence (OSC 52), which also works over ssh.
// Invariant: the text itself is never written to the screen; if copying is impossible, a notice says so.
import { codePointLength } from "../../../base/code-points.ts";
import { clipboardSequence, maxCopyBytes } from "../input/clipboard-sequence.ts";
import { countLabel } from "../rows/labels.ts";
import { visibleMessages } from "../view/past-items.ts";
import { type Command, noteOutcome, refusalOutcome } from "./command.ts";

export const copyCommand: Command = {
  name: "copy",
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
      "If the clipboard is unchanged, the terminal does not allow it (in tmux: set -g set-clipboard on).",
    );
  },
};
