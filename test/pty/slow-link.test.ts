// The chat over a slow connection: few bytes are written, keys take effect soon, and the last state is shown.
import { setTimeout as sleep } from "node:timers/promises";
import type { HeldModelServer } from "../support/held-model-server.ts";
import { readyHint } from "./chat-terminal.ts";
import { bytesPerSecond, openSlowChat } from "./slow-chat.ts";

const maxBytesPerToken = 20;
const words = "The harbour was quiet that morning, and nobody had yet asked for the tide table or for the boats. ";

/** Streams a text in tokens of four characters until it ends or is stopped. Returns the number of tokens so far. */
async function stream(
  model: HeldModelServer,
  tokens: number,
  perSecond: number,
  signal?: AbortSignal,
): Promise<number> {
  const began = performance.now();
  let said = 0;
  while (said < tokens && signal?.aborted !== true) {
    const due = Math.min(tokens, Math.ceil(((performance.now() - began) * perSecond) / 1000));
    for (; said < due; said += 1)
      model.say(
        words
          .repeat(2)
          .slice((said * 4) % words.length)
          .slice(0, 4),
      );
    await sleep(5);
  }
  return said;
}

test.each([50, 400])("a reply of %d tokens per second is drawn with at most 20 bytes per token", async (perSecond) => {
  const { terminal, model, close } = await openSlowChat();
  try {
    terminal.type("hello\r");
    await terminal.until("● Well");
    const before = terminal.written();
    const tokens = await stream(model, perSecond * 6, perSecond);
    model.finish("\n\nEND");
    await terminal.until("END");
    await terminal.untilIdle();
    const perToken = (terminal.written() - before) / tokens;
    expect(perToken).toBeGreaterThan(4);
    expect(perToken).toBeLessThanOrEqual(maxBytesPerToken);
  } finally {
    await close();
  }
});

describe("at 3 KB per second", () => {
  test.each([
    ["400 tokens per second", 400, "Interrupted"],
    ["1,000 tokens per second, which is more than the connection can show", 1_000, readyHint],
  ])(
    "typed keys and Esc wait behind less than a second of output during a reply of %s",
    async (_title, perSecond, shown) => {
      const { terminal, model, close } = await openSlowChat({ bytesPerSecond });
      const stop = new AbortController();
      try {
        terminal.type("hello\r");
        await terminal.until("● Well");
        const streaming = stream(model, 100_000, perSecond, stop.signal);
        await sleep(4_000);
        terminal.type("x");
        await terminal.until("> x");
        terminal.type("\u001b");
        await terminal.until(shown);
        // Of what the program has written, since how soon it writes depends on what else the machine does.
        expect(terminal.longestQueue()).toBeLessThan(bytesPerSecond);
        stop.abort();
        await streaming;
        await terminal.until("Interrupted");
        await terminal.untilIdle();
        expect(terminal.screen()).toContain("> x");
      } finally {
        stop.abort();
        await close();
      }
    },
  );
});
