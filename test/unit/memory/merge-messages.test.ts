// What several writers have added to one node memory, put together; and which of it is on a message's thread.
import * as fc from "fast-check";
import { mergeExchanges, newExchange, type NodeExchange } from "../../../src/memory/node/merge-messages.ts";
import type { NodeMessage } from "../../../src/memory/node/node-format.ts";
import type { AddedExchange } from "../../../src/memory/node/node-memory.ts";
import { nodeThread, type ThreadRequest } from "../../../src/runtime/node-memory/node-thread.ts";

function turn(
  messageId: string,
  parentMessageId: string | null,
  more: Partial<AddedExchange> & { second?: number } = {},
): NodeExchange {
  const { second = 0, ...given } = more;
  const texts = { userContent: `ask ${messageId}`, assistantContent: `answer ${messageId}` };
  const added = { messageId, parentMessageId, assistantMessageId: `${messageId}'`, ...texts, ...given };
  return newExchange(added, { at: new Date(Date.UTC(2026, 0, 7, 10, 0, second)), countTokens: () => 5 });
}

const idsOf = (messages: readonly NodeMessage[]) => messages.map(({ message_id: id }) => id);
const request = (current: string, more: Partial<ThreadRequest> = {}): ThreadRequest => ({
  current,
  parent: null,
  lineage: null,
  ...more,
});

describe("merged exchanges", () => {
  it("are ordered by parent and time, not by the order of writes", () => {
    const [a, b, c] = [turn("A", null), turn("B", "A'", { second: 1 }), turn("C", "B'", { second: 2 })];
    const expected = ["A", "A'", "B", "B'", "C", "C'"];
    expect(idsOf(mergeExchanges([], [c, a, b]).messages)).toEqual(expected);
    const first = mergeExchanges([], [c]).messages;
    expect(idsOf(mergeExchanges(mergeExchanges(first, [a]).messages, [b]).messages)).toEqual(expected);
  });

  it("follow their parent even if a clock was behind", () => {
    const late = [turn("A", null, { second: 9 }), turn("B", "A'", { second: 1 })] as const;
    expect(idsOf(mergeExchanges([], late).messages)).toEqual(["A", "A'", "B", "B'"]);
  });

  it("are stored once, however often they were added, with the time of the first", () => {
    const { messages, added } = mergeExchanges([], [turn("A", null), turn("A", null, { second: 5 })]);
    expect([idsOf(messages), added]).toEqual([["A", "A'"], 2]);
    expect(messages[1]!.created_at).toBe("2026-01-07T10:00:00.000Z");
    expect(mergeExchanges(messages, [turn("A", null, { second: 7 })])).toMatchObject({
      added: 0,
      refused: [],
      messages,
    });
  });

  it.each([
    ["other words", turn("A", null, { userContent: "other" })],
    ["another answer under the same id", turn("A", null, { assistantContent: "other" })],
    ["another parent", turn("A", "Z")],
    ["a place below itself", turn("Z", "C'")],
  ])("are refused with %s, and no part is added", (_what, bad) => {
    const stored = mergeExchanges([], [turn("A", null), turn("C", "Z'", { second: 3 })]).messages;
    const merge = mergeExchanges(stored, [bad, turn("B", "A'", { second: 1 })]);
    expect(merge.refused).toEqual([bad]);
    expect(idsOf(merge.messages)).toEqual(["A", "A'", "B", "B'", "C", "C'"]);
  });

  it("are refused with another file", () => {
    const file = { type: "file", kind: "image", mediaType: "image/png", name: "a.png", bytes: null } as const;
    const url = (address: string) => [{ ...file, location: { type: "url", url: address } } as const];
    const stored = (id: string) => [{ ...file, location: { type: "attachment", id } } as const];
    const cases = [
      [{ userFiles: url("https://host/1") }, { userFiles: url("https://host/2") }],
      [{ userFiles: stored("1") }, { userFiles: stored("2") }],
      [{ assistantFiles: stored("1") }, { assistantFiles: stored("2") }],
      [{ userFiles: url("https://host/1") }, {}],
    ] as const;
    for (const [first, second] of cases) {
      const { messages } = mergeExchanges([], [turn("A", null, first)]);
      expect(mergeExchanges(messages, [turn("A", null, first)])).toMatchObject({ added: 0, refused: [] });
      expect(mergeExchanges(messages, [turn("A", null, second)]).refused).toHaveLength(1);
    }
  });

  it("are the same for any order and any grouping, and complete", () => {
    const size = 12;
    const scene = fc.record({
      parents: fc.array(fc.option(fc.nat(), { freq: 5 }), { minLength: size, maxLength: size }),
      seconds: fc.array(fc.nat(5), { minLength: size, maxLength: size }),
      order: fc.shuffledSubarray([...Array(size).keys()], { minLength: size }),
      cut: fc.nat(size),
    });
    fc.assert(
      fc.property(scene, ({ parents, seconds, order, cut }) => {
        const turns = parents.map((parent, at) => {
          const before = parent === null || at === 0 ? null : `m${parent % at}'`;
          return turn(`m${at}`, before, { second: seconds[at]! });
        });
        const shuffled = order.map((at) => turns[at]!);
        const once = mergeExchanges([], turns).messages;
        const stepwise = mergeExchanges(
          mergeExchanges([], shuffled.slice(0, cut)).messages,
          shuffled.slice(cut),
        ).messages;
        expect(stepwise).toEqual(once);
        expect(once).toHaveLength(2 * size);
        const places = new Map(once.map(({ message_id: id }, place) => [id, place]));
        for (const message of once) {
          const parent = message.parent_message_id;
          if (parent !== null) expect(places.get(parent)!).toBeLessThan(places.get(message.message_id)!);
        }
      }),
      { seed: 17, numRuns: 200 },
    );
  });

  it("can be a chain of 20,000", () => {
    const turns = Array.from({ length: 10_000 }, (_, at) => turn(`m${at}`, at === 0 ? null : `m${at - 1}'`));
    const { messages } = mergeExchanges([], turns.toReversed());
    expect(mergeExchanges([], turns).messages).toEqual(messages);
    expect([messages.length, messages.at(-1)!.message_id]).toEqual([20_000, "m9999'"]);
    expect(nodeThread(messages, request("m9999'"))).toHaveLength(20_000);
  });
});

describe("the thread of a message", () => {
  /** The tree of Dify's document: A' was regenerated as A''. */
  const tree = mergeExchanges(
    [],
    [
      turn("A", null),
      turn("B", "A'", { second: 1 }),
      turn("A", null, { second: 2, assistantMessageId: "A''", assistantContent: "regenerated" }),
      turn("C", "A''", { second: 3 }),
    ],
  ).messages;

  it("is [A, A'', C, C'] from the latest message of the example, and [A, A', B, B'] on the other branch", () => {
    expect(idsOf(nodeThread(tree, request("C'")))).toEqual(["A", "A''", "C", "C'"]);
    expect(idsOf(nodeThread(tree, request("B'")))).toEqual(["A", "A'", "B", "B'"]);
    expect(idsOf(nodeThread(tree, request("A'")))).toEqual(["A", "A'"]);
  });

  it("ends with the answer when the user's message is named, with the last of several", () => {
    expect(idsOf(nodeThread(tree, request("C")))).toEqual(["A", "A''", "C", "C'"]);
    expect(idsOf(nodeThread(tree, request("A")))).toEqual(["A", "A''"]);
    expect(idsOf(nodeThread(tree, request("A", { lineage: ["A", "A'"] })))).toEqual(["A", "A'"]);
  });

  it("continues from an exchange that is named by its user message, like Dify's parents", () => {
    const byTurn = mergeExchanges(
      [],
      [turn("1", null), turn("2", "1", { second: 1 }), turn("3", "2", { second: 2 })],
    ).messages;
    expect(idsOf(nodeThread(byTurn, request("3")))).toEqual(["1", "1'", "2", "2'", "3", "3'"]);
  });

  it("is that of the parent, or else of the newest message, if the message is not stored yet", () => {
    expect(idsOf(nodeThread(tree, request("D", { parent: "B'" })))).toEqual(["A", "A'", "B", "B'"]);
    expect(idsOf(nodeThread(tree, request("D")))).toEqual(["A", "A''", "C", "C'"]);
    expect(nodeThread([], request("D"))).toEqual([]);
  });

  it("is that of the newest end even if all messages have the same time", () => {
    const turns = Array.from({ length: 120 }, (_, at) => turn(`m${at}`, at === 0 ? null : `m${at - 1}`));
    expect(nodeThread(mergeExchanges([], turns).messages, request("next"))).toHaveLength(240);
  });

  it("skips turns without the node if the ancestors are known", () => {
    const gaps = mergeExchanges([], [turn("1", null), turn("3", "2'", { second: 2 })]).messages;
    const lineage = ["1", "1'", "2", "2'", "3", "3'", "4"];
    expect(idsOf(nodeThread(gaps, request("4", { lineage })))).toEqual(["1", "1'", "3", "3'"]);
    expect(idsOf(nodeThread(gaps, request("4")))).toEqual(["3", "3'"]);
  });

  it("is empty if none of its messages are ancestors: another branch is not part of its history", () => {
    expect(nodeThread(tree, request("Z", { lineage: ["Y", "Z"] }))).toEqual([]);
  });
});

describe("an exchange", () => {
  const good = { messageId: "A", parentMessageId: null, userContent: "u", assistantContent: "a" };
  const parts = { at: new Date(0), countTokens: () => 1 };

  it("derives the id of its answer from the answer: equal for an equal answer", () => {
    const answer = (assistantContent: string) => newExchange({ ...good, assistantContent }, parts)[1].message_id;
    expect(answer("one")).toBe(answer("one"));
    expect(answer("one")).not.toBe(answer("two"));
    const image = { type: "file", kind: "image", mediaType: "image/png", name: "a.png", bytes: 1 } as const;
    const assistantFiles = [{ ...image, location: { type: "attachment", id: "file-1" } }] as const;
    expect(newExchange({ ...good, assistantContent: "one", assistantFiles }, parts)[1].message_id).not.toBe(
      answer("one"),
    );
    expect(answer("one")).toMatch(/^A\.[0-9a-f]{12}$/u);
  });

  it.each([
    [{ messageId: "" }, "Expected `messageId` to be a non-empty string, got an empty text."],
    [{ parentMessageId: undefined }, "Expected `parentMessageId` to be a non-empty string, got undefined."],
    [{ parentMessageId: "A" }, "Expected different ids for the two messages of an exchange and their parent"],
    [{ assistantMessageId: "A" }, "Expected different ids for the two messages of an exchange and their parent"],
    [{ userContent: 5 }, "Expected `userContent` to be a string, got number."],
    [{ assistantContent: null }, "Expected `assistantContent` to be a string, got object."],
  ])("is refused with %j", (change, told) => {
    expect(() => newExchange({ ...good, ...change } as AddedExchange, parts)).toThrow(told);
  });
});
