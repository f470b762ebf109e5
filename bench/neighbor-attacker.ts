// The process of the hostile user: runs one attack after the other, as it is asked to by messages.
// Invariant: nothing of an attack runs in the process that measures, and it gives way to the processes that answer, as another
// machine would.
import { setMaxListeners } from "node:events";
import { setPriority } from "node:os";
import { attacks } from "./neighbor-attacks.ts";
import type { HostileScene } from "./neighbor-scene.ts";

/** Asks for an attack, or for the end of the one that runs. */
export type AttackOrder = { readonly attack: string; readonly scene: HostileScene } | "end";

/** How often each status was answered to an attack that has ended; 0: the connection was closed. */
export type Statuses = Readonly<Record<string, number>>;

setPriority(10);
let over = new AbortController();

process.on("message", (order: AttackOrder) => {
  if (order === "end") over.abort();
  else void run(order);
});

async function run({ attack: name, scene }: Exclude<AttackOrder, "end">): Promise<void> {
  const attack = attacks.find((each) => each.name === name);
  if (attack === undefined) throw new Error(`There is no attack "${name}".`);
  over = new AbortController();
  // Each request listens.
  setMaxListeners(0, over.signal);
  const statuses: Record<string, number> = {};
  const answered = (status: number): void => void (statuses[status] = (statuses[status] ?? 0) + 1);
  await attack.run(scene, { signal: over.signal, answered });
  process.send?.(statuses);
}
