// Where a process is killed: inside a commit of a turn, right after it, in a tool or in a model call.
// Invariant: the kill is SIGKILL of the whole process, engine thread included; nothing gets to clean up.
import type { Store, UserStore } from "../../src/memory/store.ts";
import type { TurnStore } from "../../src/memory/turn-store.ts";

export const boundaries = [
  "during begin",
  "after begin",
  "during commitReply",
  "after commitReply",
  "during commitToolResult",
  "after commitToolResult",
  "in a tool",
  "in the model",
] as const;

export type Boundary = (typeof boundaries)[number];

/** Kills this process at the boundary, the given time that it is passed. */
export interface Killer {
  passes(boundary: Boundary): void;
}

export function createKiller(target: Boundary | null, time: number): Killer {
  let left = time;
  return {
    passes(boundary) {
      if (boundary !== target) return;
      left -= 1;
      if (left > 0) return;
      // Inside a commit: its statement is on its way, and how far it comes is left to chance.
      if (boundary.startsWith("during")) setTimeout(kill, Math.random() * 4);
      else kill();
    },
  };
}

function kill(): void {
  process.kill(process.pid, "SIGKILL");
}

/** The store, telling the killer of each commit of a turn. */
export function watchedStore(store: Store, killer: Killer): Store {
  const watch = (user: UserStore): UserStore => ({ ...user, turns: watchedTurns(user.turns, killer) });
  return { ...store, as: (userId) => watch(store.as(userId)) };
}

function watchedTurns(turns: TurnStore, killer: Killer): TurnStore {
  const around = async <Result>(name: "begin" | "commitReply" | "commitToolResult", work: () => Promise<Result>) => {
    killer.passes(`during ${name}`);
    const result = await work();
    killer.passes(`after ${name}`);
    return result;
  };
  return {
    begin: (turn) => around("begin", () => turns.begin(turn)),
    commitReply: (reply) => around("commitReply", () => turns.commitReply(reply)),
    commitToolResult: (result) => around("commitToolResult", () => turns.commitToolResult(result)),
    append: (lease, messages) => turns.append(lease, messages),
    commitMemory: (edit) => turns.commitMemory(edit),
  };
}
