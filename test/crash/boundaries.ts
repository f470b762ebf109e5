// Where a process is killed: inside a commit, right after it, in a tool, in a model call or in the writing of a summary.
// Invariant: the kill is SIGKILL of the whole process, engine thread included; nothing gets to clean up.
import type { Store, UserStore } from "../../src/store/port/store.ts";

/** In a turn, and in what is kept beside it. */
export const turnBoundaries = [
  "during begin",
  "after begin",
  "during commitReply",
  "after commitReply",
  "during commitToolResult",
  "after commitToolResult",
  "in a tool",
  "in the model",
  "during createObject",
  "after createObject",
  "during replaceNode",
  "after replaceNode",
] as const;

export const compactionBoundaries = ["in a summary", "during addCompactions", "after addCompactions"] as const;

export type Boundary = (typeof turnBoundaries)[number] | (typeof compactionBoundaries)[number];

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

type Commit = "begin" | "commitReply" | "commitToolResult" | "createObject" | "replaceNode" | "addCompactions";

/** The store, which reports each commit to the killer. */
export function watchedStore(store: Store, killer: Killer): Store {
  const around = async <Result>(name: Commit, work: () => Promise<Result>): Promise<Result> => {
    killer.passes(`during ${name}`);
    const result = await work();
    killer.passes(`after ${name}`);
    return result;
  };
  const watch = (user: UserStore): UserStore => {
    const { turns, objects, nodeMemories, compactions } = user;
    return {
      ...user,
      turns: {
        ...turns,
        begin: (turn) => around("begin", () => turns.begin(turn)),
        commitReply: (reply) => around("commitReply", () => turns.commitReply(reply)),
        commitToolResult: (result) => around("commitToolResult", () => turns.commitToolResult(result)),
      },
      objects: { ...objects, create: (key, bytes) => around("createObject", () => objects.create(key, bytes)) },
      nodeMemories: { ...nodeMemories, replace: (change) => around("replaceNode", () => nodeMemories.replace(change)) },
      compactions: {
        ...compactions,
        add: (lease, made) => around("addCompactions", () => compactions.add(lease, made)),
      },
    };
  };
  return { ...store, as: (userId) => watch(store.as(userId)) };
}
