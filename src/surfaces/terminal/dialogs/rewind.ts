// Esc Esc: rewinds the conversation and memory to before one of the user's messages.
// Invariant: nothing changes before Enter; a refusal is shown and changes nothing.
import type { RevertMode } from "../../../agent/agent.ts";
import type { RevertedMemory } from "../../../agent/agent-results.ts";
import { countLabel } from "../rows/labels.ts";
import { visibleMessages } from "../view/past-items.ts";
import { type Row, span } from "../rows/row.ts";
import type { Agent, StoredMessage } from "../runtime-records.ts";
import { screenText, truncateRow } from "../rows/wrap.ts";
import type { Dialog, DialogKey, DialogSpace, DialogStep } from "./dialog.ts";

const shownLength = 400;

/** A message to rewind to, and the number of messages that this removes from the window. */
export interface RewindPoint {
  readonly text: string;
  readonly count: number;
}

export interface Rewound {
  readonly point: RewindPoint;
  readonly taken: RevertedMemory;
  readonly memory: RevertMode;
}

interface Choice {
  readonly agent: Pick<Agent, "pop">;
  /** The possible targets, oldest first. */
  readonly points: readonly RewindPoint[];
  readonly chosen: number;
}

/** Returns the possible targets: the user's messages in the window, oldest first. */
export function rewindPoints(messages: readonly StoredMessage[]): readonly RewindPoint[] {
  const visible = new Set(visibleMessages(messages).filter(({ role }) => role === "user"));
  return messages.flatMap((message, index) =>
    visible.has(message) ? [{ text: message.text, count: messages.length - index }] : [],
  );
}

/** Returns a dialog whose result contains the target and the removed items. The newest message is selected at first. */
export function rewindDialog(agent: Pick<Agent, "pop">, points: readonly RewindPoint[]): Dialog<Rewound> {
  return rewindAt({ agent, points, chosen: points.length - 1 });
}

function rewindAt(choice: Choice): Dialog<Rewound> {
  return {
    hints: ["Enter rewind", "Up, Down choose", "k keep memory", "f force", "Esc close"],
    draw: (space) => draw(choice, space),
    press: (key) => press(choice, key),
  };
}

const moves: Readonly<Record<string, number>> = { up: -1, down: 1, "ctrl+p": -1, "ctrl+n": 1, home: -1e9, end: 1e9 };
const choices: Readonly<Record<string, RevertMode>> = { enter: "revert", k: "keep", f: "force" };

function press(choice: Choice, { chord, text }: DialogKey): DialogStep<Rewound> {
  const { points, chosen } = choice;
  if (chord === "escape") return { type: "close", result: null };
  const memory = choices[chord === "" ? text : chord];
  const point = points[chosen];
  if (memory !== undefined && point !== undefined) return goBack(choice.agent, point, memory);
  const next = Math.max(0, Math.min(points.length - 1, chosen + (moves[chord] ?? 0)));
  return { type: "show", dialog: rewindAt({ ...choice, chosen: next }) };
}

function goBack(agent: Pick<Agent, "pop">, point: RewindPoint, memory: RevertMode): DialogStep<Rewound> {
  return {
    type: "work",
    activity: "rewinding",
    run: async () => {
      const taken = await agent.pop(point.count, { memory });
      return { type: "close", result: { point, taken, memory } };
    },
  };
}

function draw({ points, chosen }: Choice, { width, max }: DialogSpace) {
  const head = truncateRow([span("Rewind to before", "strong"), span(" (memory is reverted as well)", "faint")], width);
  const room = Math.max(1, Math.min(12, max - 1));
  const first = Math.max(0, Math.min(chosen - Math.floor(room / 2), points.length - room));
  const rows = points.slice(first, first + room).map((point, index): Row => {
    const isChosen = first + index === chosen;
    const line = screenText(point.text.slice(0, shownLength).replaceAll(/\s+/gu, " "));
    const countText = ` · ${countLabel(point.count, "message")}`;
    const mark = span(isChosen ? "› " : "  ", "accent");
    const name = truncateRow([mark, span(line, isChosen ? "strong" : "plain")], Math.max(10, width - countText.length));
    return truncateRow([...name, span(countText, "faint")], width);
  });
  return { rows: max < 2 ? rows.slice(0, max) : [head, ...rows] };
}
