// Generated replies of models and generated inputs of people, each through a real turn on a real store.
// The suite runs the short form; `npm run test:fuzz` the long one (FUZZ_TRIALS of each, from FUZZ_SEED).
import fc from "fast-check";
import { anyReply, anyText, type GeneratedReply } from "../support/generated-turns.ts";
import { useRuntimes } from "../support/runtime.ts";
import { createTurnFuzzer, type GeneratedTurn, laneCount } from "../support/turn-fuzzer.ts";

const trials = Number(process.env["FUZZ_TRIALS"] || 30);
const seed = Number(process.env["FUZZ_SEED"] || 3);
const longestRunMs = 60 * 60_000;

const runtimes = useRuntimes();

const lane = fc.nat(laneCount - 1);

const turnOfReplies = fc.record<GeneratedTurn>({
  lane,
  input: fc.constant("Go on."),
  replies: fc.array(anyReply, { minLength: 1, maxLength: 3 }),
});

/** The model writes down what it was told, and looks for it. */
const turnOfInput = fc.record({ lane, input: anyText }).map(({ lane: number, input }): GeneratedTurn => {
  const echo = { name: "core_memory_append", arguments: JSON.stringify({ name: "human", content: input }) };
  const query = input.slice(0, 200);
  const search = { name: "conversation_search", arguments: JSON.stringify({ query, request_heartbeat: true }) };
  const calls = [
    { callId: "1", ...echo },
    { callId: "2", ...search },
  ];
  return {
    lane: number,
    input,
    replies: [
      { ...quiet, calls, stopReason: "tool-calls" },
      { ...quiet, texts: [input] },
    ],
  };
});

const quiet: GeneratedReply = { thought: null, texts: [], calls: [], stopReason: "end", fault: "none" };

test.each([
  ["replies of a model", turnOfReplies],
  ["inputs of a person", turnOfInput],
] as const)(
  "generated %s: no crash, no invalid request, memory is the fold of its revisions",
  async (title, turns) => {
    const fuzzer = await createTurnFuzzer(runtimes, title);
    const violations: string[] = [];
    const property = fc.asyncProperty(turns, async (turn) => {
      const problems = await fuzzer.run(turn);
      if (problems.length > 0)
        violations.push(`${clip(problems.join("; "), 600)} <- ${clip(JSON.stringify(turn), 1500)}`);
    });
    await fc.assert(property, { numRuns: trials, seed });
    const { turns: count, slowestMs, ...rest } = fuzzer.tally;
    const told = JSON.stringify({ ...rest, slowestMs: Math.round(slowestMs) });
    process.stdout.write(`fuzz, ${title}: ${count} trials, ${violations.length} violations, seed ${seed}, ${told}\n`);
    expect(violations.slice(0, 20)).toEqual([]);
  },
  longestRunMs,
);

function clip(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).toWellFormed()}… (${text.length} characters)` : text;
}
