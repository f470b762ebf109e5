// Esc Esc: rewinds the conversation and memory to before one of the user's messages.
// Invariant: nothing changes before Enter; a refusal is shown and changes nothing.
import type { RevertMode } from "../../../agent/agent.ts";
import type { RevertedMemory } from "../../../agent/agent-results.ts";
import { countLabel } from "../rows/labels.ts";
import { visibleMessages } from "../view/past-items.ts";
import { span } from "../rows/row.ts";
import type { Agent, StoredMessage } from "../runtime-records.ts";
import { flatText } from "../rows/wrap.ts";
import { choiceList } from "./choice-list.ts";
import type { Dialog, DialogStep } from "./dialog.ts";

const shownLength = 400;

/** A message to rewind to, and the number of messages that the rewind removes from the window. */
export interface RewindPoint {
  readonly text: string;
  readonly count: number;
}

export interface Rewound {
  readonly point: RewindPoint;
  readonly taken: RevertedMemory;
  readonly memory: RevertMode;
}

/** Returns the possible targets: the user's messages in the window, oldest first. */
export function rewindPoints(messages: readonly StoredMessage[]): readonly RewindPoint[] {
  const visible = new Set(visibleMessages(messages).filter(({ role }) => role === "user"));
  return messages.flatMap((message, index) =>
    visible.has(message) ? [{ text: message.text, count: messages.length - index }] : [],
  );
}

const choices: Readonly<Record<string, RevertMode>> = { enter: "revert", k: "keep", f: "force" };

/** Returns a dialog that ends with the target and the removed items. The newest message is selected at first. */
export function rewindDialog(agent: Pick<Agent, "pop">, points: readonly RewindPoint[]): Dialog<Rewound> {
  return choiceList({
    title: "Rewind to before (memory is reverted as well)",
    items: points,
    first: points.length - 1,
    rowOf: ({ text, count }, { isChosen }) => [
      span(`${countLabel(count, "message")} · `, "faint"),
      span(flatText(text.slice(0, shownLength)), isChosen ? "strong" : "plain"),
    ],
    keys: ["Enter rewind", "k keep memory", "f force"],
    accept(point, key) {
      const memory = choices[key];
      if (memory === undefined) return null;
      const run = async (): Promise<DialogStep<Rewound>> => {
        const taken = await agent.pop(point.count, { memory });
        return { type: "close", result: { point, taken, memory } };
      };
      return { type: "work", activity: "rewinding", run };
    },
  });
}
