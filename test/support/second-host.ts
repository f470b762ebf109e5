// Starts a host in another process (`second-host.mjs`), on the same database.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Host } from "../../src/runtime/host.ts";

type Step = string | readonly unknown[];
type Answer = {
  readonly id: number | null;
  readonly result?: unknown;
  readonly agent?: number;
  readonly failure?: string;
};

/** Returns a stand-in for the other process's host: awaiting a call sends it, with the names and calls that lead to it. */
export async function startSecondHost(place: object): Promise<{ readonly host: Host; close(): Promise<void> }> {
  const program = fileURLToPath(new URL("second-host.mjs", import.meta.url));
  const child = fork(program, [JSON.stringify(place)], { serialization: "advanced", execArgv: [] });
  const waiting = new Map<number | null, (answer: Answer) => void>();
  const answerTo = (id: number | null) => new Promise<Answer>((resolve) => waiting.set(id, resolve));
  child.on("message", (answer: Answer) => waiting.get(answer.id)?.(answer));
  let sent = 0;
  const call = async (agent: number | null, steps: readonly Step[]): Promise<unknown> => {
    const id = (sent += 1);
    const answered = answerTo(id);
    child.send({ id, agent, steps });
    const answer = await answered;
    if (answer.failure !== undefined) throw new Error(answer.failure);
    return answer.agent === undefined ? answer.result : standIn(answer.agent, []);
  };
  const standIn = (agent: number | null, steps: readonly Step[]): unknown =>
    new Proxy(() => undefined, {
      get(_, name) {
        if (name !== "then") return standIn(agent, [...steps, String(name)]);
        if (!Array.isArray(steps.at(-1))) return undefined;
        return (...handlers: Parameters<Promise<unknown>["then"]>) => call(agent, steps).then(...handlers);
      },
      apply: (_, _this, args: readonly unknown[]) => standIn(agent, [...steps, args]),
    });
  await answerTo(null);
  const close = async (): Promise<void> => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.disconnect();
    await ended;
  };
  return { host: standIn(null, []) as Host, close };
}
