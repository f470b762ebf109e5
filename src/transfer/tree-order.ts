// Orders the messages of a file so that each comes after its parent.
// Invariant: every message comes once; it works without recursion, since a thread can have any length.
import { groupBy } from "../base/group-by.ts";
import type { SourceMessage } from "./export-form.ts";
import type { Remarks } from "./remarks.ts";

export interface PlacedMessage {
  readonly message: SourceMessage;
  /** Null if it begins a thread. */
  readonly parentKey: string | null;
}

export function inTreeOrder(messages: readonly SourceMessage[], remarks: Remarks): readonly PlacedMessage[] {
  const byKey = new Map<string, SourceMessage>();
  for (const message of messages) {
    if (byKey.has(message.key)) remarks.leaveOut("messages with the id of another one in their conversation");
    else byKey.set(message.key, message);
  }
  const children = groupBy([...byKey.values()], (message) => knownParent(message, byKey, remarks));
  const ordered: PlacedMessage[] = [];
  const seen = new Set<string>();
  const place = (begin: SourceMessage): void => {
    const waiting: PlacedMessage[] = [{ message: begin, parentKey: null }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { key } = next.message;
      if (seen.has(key)) continue;
      seen.add(key);
      ordered.push(next);
      // In reverse, since the last one is taken first.
      for (const child of (children.get(key) ?? []).toReversed()) waiting.push({ message: child, parentKey: key });
    }
  };
  for (const root of children.get(null) ?? []) place(root);
  for (const message of byKey.values()) {
    if (seen.has(message.key)) continue;
    remarks.note("cycles of messages, which were cut");
    place(inCycle(message, byKey));
  }
  return ordered;
}

/** Returns the message of a cycle that a message without a root comes from. */
function inCycle(from: SourceMessage, byKey: ReadonlyMap<string, SourceMessage>): SourceMessage {
  const passed = new Set<string>();
  let message = from;
  while (!passed.has(message.key)) {
    passed.add(message.key);
    message = byKey.get(message.parentKey ?? "") ?? message;
  }
  return message;
}

function knownParent(
  { parentKey }: SourceMessage,
  byKey: ReadonlyMap<string, SourceMessage>,
  remarks: Remarks,
): string | null {
  if (parentKey === null || byKey.has(parentKey)) return parentKey;
  remarks.note("messages whose parent is missing, which begin a thread");
  return null;
}
