// The bytes of a stream of events, for a client that reads them and one that leaves.
import { encodeEvents, EventStream, type SentEvent } from "../../../src/surfaces/http/event-stream.ts";

function encoded(events: AsyncIterable<SentEvent>) {
  const failures: unknown[] = [];
  const onFailure = (error: unknown): SentEvent => {
    failures.push(error);
    return { event: "error", data: {} };
  };
  const bytes = encodeEvents(new EventStream(events), {
    pingMs: 60_000,
    onFailure,
    onEnd: () => undefined,
    signal: new AbortController().signal,
  });
  return { reader: bytes.getReader(), failures };
}

test("a client that leaves while an event is awaited is no failure", async () => {
  let come = (): void => undefined;
  const awaited = new Promise<void>((resolve) => (come = resolve));
  async function* events(): AsyncGenerator<SentEvent, void> {
    await awaited;
    yield { data: 1 };
  }
  const { reader, failures } = encoded(events());
  await reader.read();
  const left = reader.cancel();
  come();
  await left;
  await awaited;
  await new Promise((resolve) => setImmediate(resolve));
  expect(failures).toEqual([]);
});

test("a stream that fails ends with the failure", async () => {
  async function* events(): AsyncGenerator<SentEvent, void> {
    yield { data: 1 };
    throw new Error("lost");
  }
  const { reader, failures } = encoded(events());
  let text = "";
  for (let next = await reader.read(); !next.done; next = await reader.read())
    text += new TextDecoder().decode(next.value);
  expect(text).toBe(": ping\n\ndata: 1\n\nevent: error\ndata: {}\n\n");
  expect(failures).toEqual([new Error("lost")]);
});
