// Output follows the terminal: a slow one gets few bytes ahead of its answers, one that never answers is not waited for.
import { createPacedOutput, type PacedOutput } from "../../../src/surfaces/terminal/screen/paced-output.ts";
import { createFakeTerminal } from "../../support/fake-terminal.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";

const question = "\u001b[5n";

interface Scene {
  readonly output: PacedOutput;
  readonly clock: ManualClock;
  /** The questions written so far. */
  questions(): number;
  /** How often the output has become ready. */
  ready(): number;
  readonly stdout: NodeJS.WriteStream;
}

function open(accepts: () => boolean = () => true): Scene {
  const terminal = createFakeTerminal({ columns: 80, rows: 24, answers: false, accepts });
  const clock = createManualClock();
  let ready = 0;
  const output = createPacedOutput(terminal.stdout, clock, () => {
    ready += 1;
  });
  return {
    output,
    clock,
    questions: () => terminal.written().split(question).length - 1,
    ready: () => ready,
    stdout: terminal.stdout,
  };
}

const line = (bytes: number): string => `\r${"x".repeat(bytes - 1)}`;
const lines = (count: number): string => line(70).repeat(count);

it("asks with the first write, and then after each 128 bytes, one question at a time", () => {
  const { output, questions } = open();
  output.write("a");
  expect(questions()).toBe(1);
  output.write(lines(10));
  expect(questions()).toBe(1);
  output.answered();
  output.write("b");
  expect(questions()).toBe(2);
  output.answered();
  output.write("c");
  expect(questions()).toBe(2);
});

it("does not wait for a terminal that has never answered", () => {
  const { output } = open();
  output.write(lines(100));
  expect(output.room()).toBe(Number.POSITIVE_INFINITY);
  expect(output.answers()).toBe(false);
});

it("over a slow connection, waits after some hundred bytes until the terminal has answered", async () => {
  const { output, clock, ready } = open();
  output.write(line(50));
  await clock.advance(500);
  output.answered();
  expect(output.room()).toBe(512);
  output.write(lines(6));
  expect(output.room()).toBe(512 - 420);
  output.write(lines(2));
  expect(output.room()).toBe(0);
  await clock.advance(200);
  expect(ready()).toBe(0);
  output.answered();
  expect(ready()).toBe(1);
});

it("over a fast connection, writes what it can show in a fifth of a second", async () => {
  const { output, clock } = open();
  output.write(lines(100));
  await clock.advance(10);
  output.answered();
  // 7,000 bytes and the initial 128 in 10 ms.
  expect(output.room()).toBe((7_128 * 200) / 10);
});

it("continues if an answer is missing for five seconds, and waits again after the next one", async () => {
  const { output, clock, ready } = open();
  output.write("a");
  await clock.advance(500);
  output.answered();
  output.write(lines(20));
  expect(output.room()).toBe(0);
  await clock.advance(5_000);
  expect([ready(), output.room()]).toEqual([1, Number.POSITIVE_INFINITY]);
  output.write(lines(20));
  await clock.advance(4_000);
  output.answered();
  output.write(lines(20));
  expect(output.room()).toBe(0);
});

it("waits while the stream is full", () => {
  let accepts = false;
  const { output, ready, stdout } = open(() => accepts);
  output.write("a");
  expect(output.room()).toBe(0);
  accepts = true;
  stdout.emit("drain");
  expect(ready()).toBe(1);
});

describe("settle", () => {
  it("asks once more, after the answer to the question before, and resolves with that answer", async () => {
    const { output, questions, clock } = open();
    output.write("a");
    let isSettled = false;
    const settled = output.settle().then(() => {
      isSettled = true;
    });
    output.answered();
    await clock.advance(0);
    expect([questions(), isSettled]).toEqual([2, false]);
    output.answered();
    await settled;
  });

  it.each([
    ["0.1 s for a terminal that has never answered", false, 100],
    ["1 s for another", true, 1_000],
  ])("waits at most %s", async (_title, hasAnswered, ms) => {
    const { output, clock } = open();
    output.write("a");
    if (hasAnswered) output.answered();
    let isSettled = false;
    const settled = output.settle().then(() => {
      isSettled = true;
    });
    await clock.advance(0);
    await clock.advance(ms - 1);
    expect(isSettled).toBe(false);
    await clock.advance(1);
    await settled;
  });
});
