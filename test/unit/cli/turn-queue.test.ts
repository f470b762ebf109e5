// The order of turns that lines ask for, and who waits for whom.
import { createTurnQueue, type TurnQueue } from "../../../src/surfaces/cli/headless/run-stream-input.ts";

const turn = (line: number) => ({ line, input: `wish ${line}`, interruption: new AbortController() });

/** Lets everything happen that needs nobody else. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Whether it is full: one more would have to wait. */
async function isFull(queue: TurnQueue<string>, line: number): Promise<boolean> {
  let isIn = false;
  void queue.add(turn(line)).then(() => (isIn = true));
  await settle();
  return !isIn;
}

describe("a queue of turns", () => {
  it("returns them in order, and ends when it is closed and empty", async () => {
    const queue = createTurnQueue<string>(10);
    for (const line of [1, 2, 3]) await queue.add(turn(line));
    queue.close();
    const lines: number[] = [];
    for await (const { line } of queue.turns()) lines.push(line);
    expect(lines).toEqual([1, 2, 3]);
    expect(queue.first()).toBeUndefined();
  });

  it("keeps the running one first until the next is requested", async () => {
    const queue = createTurnQueue<string>(10);
    await queue.add(turn(1));
    await queue.add(turn(2));
    const turns = queue.turns();
    await turns.next();
    expect(queue.first()?.line).toBe(1);
    await turns.next();
    expect(queue.first()?.line).toBe(2);
  });

  it("makes the producer wait for room", async () => {
    const queue = createTurnQueue<string>(2);
    expect(await isFull(queue, 1)).toBe(false);
    expect(await isFull(queue, 2)).toBe(true);
    const turns = queue.turns();
    await turns.next();
    await turns.next();
    expect(queue.first()?.line).toBe(2);
    void turns.next();
    await settle();
    expect(queue.first()).toBeUndefined();
    expect(await isFull(queue, 3)).toBe(false);
  });

  it("waits for one that comes later", async () => {
    const queue = createTurnQueue<string>(2);
    const next = queue.turns().next();
    await settle();
    await queue.add(turn(7));
    expect((await next).value).toMatchObject({ line: 7, input: "wish 7" });
  });
});
