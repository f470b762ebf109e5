// The state of a turn, from its events: what counts, and what an event makes void.
import type { AgentEvent, EventBody, StopReason } from "../../../src/agent/events.ts";
import {
  type FoldedTurn,
  foldTurn,
  noTurn,
  runningCalls,
  textOfReply,
  type TurnState,
  waitingCalls,
} from "../../../src/agent/fold-turn.ts";
import { noUsage } from "../../../src/base/message/message.ts";

const start: EventBody = { type: "turn-start", messageId: "input" };
const again = (replyId: string | null): EventBody => ({ ...start, replyId }) as EventBody;
const step = (number: number): EventBody => {
  return { type: "step-start", step: number, messageId: `m${number}`, model: "x", window: { tokens: 10, limit: 100 } };
};
const text = (said: string): EventBody => ({ type: "text-delta", step: 1, text: said });
const thought = (said: string): EventBody => ({ type: "thought-delta", step: 1, text: said });
const call = (callId: string) => ({ step: 1, callId, name: "tool", arguments: `{"of":"${callId}"}` });
const runs = (callId: string): EventBody => ({ type: "tool-call", ...call(callId) });
const asks = (callId: string): EventBody => {
  return { type: "approval-requested", ...call(callId), preview: null, expiresAt: null };
};
const gives = (callId: string, status: "ok" | "failed" = "ok"): EventBody => {
  return { type: "tool-result", step: 1, callId, name: "tool", status, text: `result of ${callId}` };
};
const retry: EventBody = { type: "retry", step: 1, attempt: 2, delayMs: 1, reason: "busy" };
const stepEnd: EventBody = {
  type: "step-end",
  step: 1,
  usage: { inputTokens: 5, outputTokens: 2, cachedInputTokens: 1 },
};
const end = (stopReason: StopReason = "end-turn"): EventBody => {
  return { type: "turn-end", stopReason, text: "", steps: 1, usage: noUsage };
};

function folded(bodies: readonly EventBody[], from: TurnState = noTurn): FoldedTurn {
  const header = { agentId: "a", conversationId: "c", turnId: "t" };
  return bodies.reduce<FoldedTurn>(
    ({ turn }, body, at) => foldTurn(turn, { ...header, sequence: at + 1, ...body } as AgentEvent),
    { turn: from, voided: null },
  );
}

const turnOf = (...bodies: readonly EventBody[]): TurnState => folded(bodies).turn;
const said = ({ replies }: TurnState) => replies.map((reply) => [reply.id, textOfReply(reply)]);

describe("text", () => {
  test("is that of its reply, with thoughts apart and in order", () => {
    const turn = turnOf(start, step(1), thought("H"), thought("m"), text("a"), text(""), text("b"), thought("c"));
    expect(turn.replies).toEqual([
      {
        id: "m1",
        texts: [
          { kind: "thought", text: "Hm" },
          { kind: "text", text: "ab" },
          { kind: "thought", text: "c" },
        ],
      },
    ]);
    expect(textOfReply(turn.replies[0]!, "thought")).toBe("Hmc");
    expect(turn).toMatchObject({ turnId: "t", step: 1, model: "x", isStreaming: true, end: null });
  });

  test("of a repeated model call replaces what it streamed, and nothing before", () => {
    const before = [start, step(1), text("One"), stepEnd, step(2), thought("Hm"), text("lost")];
    expect(folded([...before, retry]).voided).toEqual({
      replies: [
        {
          id: "m2",
          texts: [
            { kind: "thought", text: "Hm" },
            { kind: "text", text: "lost" },
          ],
        },
      ],
      isTextOnly: true,
    });
    expect(said(turnOf(...before, retry, text("Two"), stepEnd, end()))).toEqual([
      ["m1", "One"],
      ["m2", "Two"],
    ]);
  });

  test.each<[StopReason, boolean]>([
    ["model-error", true],
    ["context-overflow", true],
    ["interrupted", false],
    ["length", false],
  ])("that streams when the turn ends with %s is void: %s", (stopReason, isVoid) => {
    const { turn, voided } = folded([start, step(1), text("Half"), end(stopReason)]);
    expect([said(turn), voided?.isTextOnly]).toEqual([[["m1", isVoid ? "" : "Half"]], isVoid ? true : undefined]);
    // What is stored stays, whatever follows.
    const stored = folded([start, step(1), text("Whole"), stepEnd, end(stopReason)]);
    expect([said(stored.turn), stored.voided]).toEqual([[["m1", "Whole"]], null]);
  });
});

describe("a turn that goes on", () => {
  const steps = [start, step(1), text("One"), runs("1"), gives("1"), stepEnd, step(2), text("Two"), runs("2")];

  test("after a stored reply loses what came after that reply, with its calls", () => {
    const { turn, voided } = folded([...steps, again("m1")]);
    expect(voided).toMatchObject({ replies: [{ id: "m2" }], isTextOnly: false });
    expect([said(turn), turn.calls.map(({ callId }) => callId), turn.isStreaming]).toEqual([
      [["m1", "One"]],
      ["1"],
      false,
    ]);
    expect(said(turnOf(...steps, again("m1"), step(3), text("Three")))).toEqual([
      ["m1", "One"],
      ["m3", "Three"],
    ]);
  });

  test("after the reply that streamed keeps it: it was stored", () => {
    const { turn, voided } = folded([...steps, again("m2"), gives("2")]);
    expect([voided, said(turn).at(-1), turn.calls.at(-1)?.status]).toEqual([null, ["m2", "Two"], "ok"]);
    expect(said(turnOf(...steps, again("m2"), end("model-error"))).at(-1)).toEqual(["m2", "Two"]);
  });

  test("from its beginning, because it is answered anew, loses all replies", () => {
    const { turn, voided } = folded([...steps, stepEnd, end(), again(null)]);
    expect([turn.replies, turn.calls, turn.end, voided?.replies.length]).toEqual([[], [], null, 2]);
  });

  test("and is read from there has the reply that it names", () => {
    const turn = turnOf(again("m1"), gives("1"), step(2), text("Two"));
    expect(said(turn)).toEqual([
      ["m1", ""],
      ["m2", "Two"],
    ]);
  });
});

test("a stream that is cut in a step, and read from there, has the rest of its text", () => {
  expect(said(turnOf(text("rest of it")))).toEqual([[null, "rest of it"]]);
  expect(said(turnOf(text("lost"), retry, text("kept"), stepEnd, step(2), text("x")))).toEqual([
    [null, "kept"],
    ["m2", "x"],
  ]);
  const cut = turnOf(start, step(1), text("Half"));
  expect([cut.end, cut.isStreaming]).toEqual([null, true]);
});

describe("calls", () => {
  test("wait, run, and have a result", () => {
    const waiting = [start, step(1), asks("1"), { ...asks("2"), type: "result-requested" } as EventBody, stepEnd];
    const paused = turnOf(...waiting, end("awaiting-approval"));
    expect(waitingCalls(paused).map(({ callId, request }) => [callId, request?.type])).toEqual([
      ["1", "approval-requested"],
      ["2", "result-requested"],
    ]);
    const running = folded([start, runs("1")], paused).turn;
    expect([running.end, runningCalls(running).map(({ callId }) => callId)]).toEqual([null, ["1"]]);
    // A turn that pauses again asks again.
    const ended = folded([gives("1", "failed"), { ...asks("2"), type: "result-requested" } as EventBody], running).turn;
    expect(ended.calls.map(({ callId, replyId, status, result }) => [callId, replyId, status, result])).toEqual([
      ["1", "m1", "failed", "result of 1"],
      ["2", "m1", "waiting", null],
    ]);
  });

  test("that were approved with other arguments have those", () => {
    const edited = { ...runs("1"), arguments: "{}" } as EventBody;
    expect(turnOf(start, step(1), asks("1"), edited).calls).toMatchObject([{ arguments: "{}", status: "running" }]);
  });

  test("of an earlier turn are known by their result", () => {
    expect(turnOf(start, gives("9")).calls).toEqual([
      { callId: "9", name: "tool", arguments: "", replyId: null, request: null, status: "ok", result: "result of 9" },
    ]);
  });

  test("that had no result run no more after the next step begins, or the turn ends", () => {
    expect(runningCalls(turnOf(start, step(1), runs("1"), stepEnd, step(2)))).toEqual([]);
    expect(runningCalls(turnOf(start, step(1), runs("1"), end("interrupted")))).toEqual([]);
  });
});

test("usage is the sum of the steps, and that of the end", () => {
  const steps = [start, step(1), stepEnd, step(2), stepEnd];
  expect(turnOf(...steps)).toMatchObject({
    usage: { inputTokens: 10, outputTokens: 4, cachedInputTokens: 2 },
    contextTokens: 7,
  });
  expect(turnOf(...steps, end()).usage).toEqual(noUsage);
});

test("edits are collected; compactions, warnings and files change nothing that counts", () => {
  const edit: EventBody = {
    type: "memory-edit",
    step: 1,
    callId: "1",
    label: "human",
    before: "",
    after: "x",
    revision: 4,
    limit: 9,
  };
  const other: readonly EventBody[] = [
    { type: "compaction", id: "k", strategy: "ring", messages: 2, tokensBefore: 9, tokensAfter: 3, summary: "" },
    { type: "warning", code: "memory-pressure", message: "Nearly full." },
    { type: "memory-revert", edits: [], passages: [] },
  ];
  const turn = turnOf(start, step(1), text("a"), edit);
  expect(turn.edits).toMatchObject([{ label: "human", revision: 4 }]);
  expect(folded(other, turn)).toEqual({ turn, voided: null });
  const file = { type: "file", name: "a.txt" } as never;
  expect(turnOf({ ...start, files: [file] } as EventBody, { ...gives("1"), files: [file] } as EventBody)).toEqual(
    turnOf(start, gives("1")),
  );
});

test("a turn that waits for another has not begun, and the next turn begins anew", () => {
  const waits: EventBody = { type: "turn-queued", holder: null, ahead: 1 };
  expect(turnOf(waits)).toEqual(noTurn);
  const first = turnOf(start, step(1), text("a"), end());
  const next = { agentId: "a", conversationId: "c", turnId: "u", sequence: 1, ...start } as AgentEvent;
  expect(foldTurn(first, next).turn).toEqual({ ...noTurn, turnId: "u" });
});
