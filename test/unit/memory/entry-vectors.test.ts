// When the vectors of working memory are made: what is woken at the last moment of a round, and what a failure leaves behind.
import { createEntryVectors } from "../../../src/memory/working/entry-vectors.ts";
import type { WorkingEntry } from "../../../src/memory/working/working-entry.ts";
import { createManualClock, settle } from "../../support/manual-clock.ts";
import { createSharedWordsEmbedder } from "../../support/shared-words-embedder.ts";

const entryOf = (text: string): WorkingEntry => ({
  text,
  source: "user",
  user: "ada",
  at: new Date(0),
  trust: "user",
  id: text,
  bytes: 1,
  vector: null,
  state: "waiting",
});

interface Scene {
  /** Told each time that the work looks for what waits, before it is given it. */
  readonly onLook?: (found: number) => void;
  readonly onFailure?: (error: unknown) => void;
}

function open({ onLook = () => undefined, onFailure = () => undefined }: Scene = {}) {
  const entries: WorkingEntry[] = [];
  const embedder = createSharedWordsEmbedder();
  const closing = new AbortController();
  const waiting = (max: number): readonly WorkingEntry[] => {
    const found = entries.filter(({ state }) => state === "waiting").slice(0, max);
    onLook(found.length);
    return found;
  };
  const clock = createManualClock();
  const vectors = createEntryVectors({ embedder, clock, waiting, onFailure, signal: closing.signal });
  return { entries, embedder, vectors, closing, clock };
}

describe("a text that arrives right after a search that found nothing more", () => {
  // One step, two or three of the queue of microtasks later: between the last look and the next round.
  it.each([1, 2, 3])("gets its vector without another wake (%d steps later)", async (steps) => {
    let isLast = true;
    const scene = open({
      onLook(found) {
        if (found > 0 || !isLast) return;
        isLast = false;
        void (async () => {
          for (let step = 1; step < steps; step += 1) await Promise.resolve();
          await Promise.resolve();
          scene.entries.push(entryOf("late"));
          scene.vectors.wake();
        })();
      },
    });
    scene.entries.push(entryOf("early"));
    scene.vectors.wake();
    await settle();
    await scene.vectors.idle();
    expect(scene.entries.map(({ text, state }) => [text, state])).toEqual([
      ["early", "done"],
      ["late", "done"],
    ]);
  });

  it("that arrives during the report of a failure waits for the pause", async () => {
    const scene = open({
      onFailure() {
        scene.embedder.isDown = false;
        scene.vectors.wake();
      },
    });
    scene.embedder.isDown = true;
    scene.entries.push(entryOf("early"));
    scene.vectors.wake();
    await settle();
    await scene.vectors.idle();
    expect([scene.entries[0]?.state, scene.embedder.calls.length]).toEqual(["waiting", 1]);
    await scene.clock.advance(10_000);
    scene.vectors.wake();
    await scene.vectors.idle();
    expect(scene.entries[0]?.state).toBe("done");
  });
});

it.each([Number.NaN, Number.POSITIVE_INFINITY, 1e300])("a vector with %d counts as refused", async (number) => {
  const { entries, embedder, vectors } = open();
  const embed = embedder.embed.bind(embedder);
  embedder.embed = async (texts) =>
    (await embed(texts)).map((vector, at) => (at === 0 && vector !== null ? [number, ...vector.slice(1)] : vector));
  entries.push(entryOf("broken"), entryOf("whole"));
  vectors.wake();
  await vectors.idle();
  expect(entries.map(({ state, vector }) => [state, vector === null])).toEqual([
    ["refused", true],
    ["done", false],
  ]);
});

it("is idle at once if there was nothing to do, and does nothing after the end", async () => {
  const { vectors, closing, entries, embedder } = open();
  await vectors.idle();
  closing.abort();
  entries.push(entryOf("too late"));
  vectors.retry();
  await vectors.idle();
  expect(embedder.calls).toEqual([]);
});
