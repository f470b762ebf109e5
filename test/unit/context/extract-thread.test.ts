// Threads of a tree of messages: the one of the seed's picture, and lists that are no tree.
import { extractThread, type ThreadNode } from "../../../src/context/extract-thread.ts";
import { RequestError } from "../../../src/base/errors.ts";

/** `child < parent`, in this order. */
const tree = (...edges: readonly string[]): readonly ThreadNode[] =>
  edges.map((edge) => {
    const [id = "", parentId = null] = edge.split(" < ");
    return { id, parentId };
  });

const idsOf = (messages: readonly ThreadNode[], leafId: string): readonly string[] =>
  extractThread(messages, leafId).map(({ id }) => id);

// Message A, its answer A', what followed that, and the answer A'' that was made again with what followed it.
const regenerated = tree("A", "A' < A", "B < A'", "B' < B", "A'' < A", "C < A''", "C' < C");

test("after a regenerated answer, the thread is that of the new one", () => {
  expect(idsOf(regenerated, "C'")).toEqual(["A", "A''", "C", "C'"]);
});

test("the abandoned thread is available as well", () => {
  expect(idsOf(regenerated, "B'")).toEqual(["A", "A'", "B", "B'"]);
  expect(idsOf(regenerated, "A'")).toEqual(["A", "A'"]);
  expect(idsOf(regenerated, "A")).toEqual(["A"]);
});

test("the order of the list does not matter, and the messages are returned unchanged", () => {
  expect(idsOf([...regenerated].reverse(), "C'")).toEqual(["A", "A''", "C", "C'"]);
  expect(extractThread(regenerated, "A")[0]).toBe(regenerated[0]);
});

test("the thread begins at a message without its parent", () => {
  expect(idsOf(regenerated.slice(4), "C'")).toEqual(["A''", "C", "C'"]);
});

test.each([
  ["a leaf that is not there", regenerated, "D", "message_not_found"],
  ["an empty list", [], "A", "message_not_found"],
  ["a message that is its own parent", tree("A < A"), "A", "input_invalid"],
  ["a cycle above the leaf", tree("A < B", "B < A", "C < B"), "C", "input_invalid"],
  ["an id twice", tree("A", "A < B", "B"), "B", "input_invalid"],
])("%s is refused", (_, messages, leaf, code) => {
  expect(() => extractThread(messages, leaf)).toThrow(RequestError);
  expect(() => extractThread(messages, leaf)).toThrow(expect.objectContaining({ code }));
});

test("a cycle that is not above the leaf does not matter", () => {
  expect(idsOf(tree("A", "B < A", "X < Y", "Y < X"), "B")).toEqual(["A", "B"]);
});

test("100,000 messages in a row are one thread", () => {
  const long = Array.from({ length: 1e5 }, (_, place) => ({
    id: `${place}`,
    parentId: place === 0 ? null : `${place - 1}`,
  }));
  expect(extractThread(long, "99999")).toHaveLength(1e5);
});
