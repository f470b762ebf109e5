// What must hold after any kill, read from the store by a new process.
import type { Agent } from "../../src/agent/agent.ts";
import { toolCallsOf } from "../../src/message.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";

/** What the processes before told of themselves: inputs whose commit they saw. */
export interface Expectation {
  readonly acknowledged: readonly number[];
}

/** Everything that is violated, a line each. To be asked once nothing is left undone. */
export async function findViolations(
  runtime: Runtime,
  agent: Agent,
  { acknowledged }: Expectation,
): Promise<readonly string[]> {
  const { name } = agent.record;
  const inputs = agent.messages.flatMap(({ role, text }) =>
    role === "user" ? [Number(text.replace("turn ", ""))] : [],
  );
  const calls = agent.messages.flatMap((message) => toolCallsOf(message));
  const increments = calls.filter((call) => call.name === "increment").length;
  const results = agent.messages.filter(({ role }) => role === "tool").length;
  const value = Number(agent.memory.read("human") || "0");
  const revisions = [...(await runtime.memory.revisions(name, { label: "human", limit: 100_000 }))].reverse();
  const archived = (await runtime.archival.list(name, { pageSize: 1 })).total;
  const inserts = calls.filter((call) => call.name === "archival_memory_insert").length;
  return [
    ...acknowledged
      .filter((input) => !inputs.includes(input))
      .map((input) => `input ${input} was acknowledged and is lost`),
    ...inputs.filter((input, at) => inputs.indexOf(input) !== at).map((input) => `input ${input} is there twice`),
    ...(inputs.some((input, at) => at > 0 && input <= (inputs[at - 1] ?? 0)) ? ["the inputs are out of order"] : []),
    ...(value === increments ? [] : [`${increments} increments were asked for, the memory says ${value}`]),
    ...(results === calls.length ? [] : [`${calls.length} calls have ${results} results`]),
    ...(archived === inserts ? [] : [`${inserts} inserts were asked for, ${archived} passages are there`]),
    ...brokenChain(revisions.map(({ before, after }) => [before, after])),
    ...(revisions.at(-1)?.after === agent.memory.read("human") || revisions.length === 0
      ? []
      : ["memory is not the last revision"]),
  ];
}

function brokenChain(changes: readonly (readonly [before: string, after: string])[]): readonly string[] {
  return changes.flatMap(([before], at) => {
    const expected = changes[at - 1]?.[1] ?? "";
    return before === expected
      ? []
      : [`revision ${at + 1} begins with "${before}", the one before it ends with "${expected}"`];
  });
}
