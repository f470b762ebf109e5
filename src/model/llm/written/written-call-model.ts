// A model whose replies are also read for calls written as text.
// Invariant: text is held back only while the reply may begin with a call; no text and no other event is lost.
import type { Ids } from "../../../base/ids.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import { withStream } from "../with-stream.ts";
import { couldBeCalls, readWrittenCalls } from "./written-calls.ts";

/** Maximum calls read from one reply: small models do not stop. */
const maxCalls = 4;

/** `known`: tools whose calls are also recognized in a request that does not offer them. */
export function withWrittenCalls(model: Model, ids: Ids, known: ModelRequest["tools"] = []): Model {
  return withStream(model, async function* (request, options) {
    const tools = [...request.tools, ...known.filter(({ name }) => !request.tools.some((one) => one.name === name))];
    if (tools.length === 0) yield* model.stream(request, options);
    else yield* readReply(model.stream(request, options), { tools, ids });
  });
}

async function* readReply(events: AsyncIterable<ModelEvent>, { tools, ids }: Reading): AsyncGenerator<ModelEvent> {
  // Null once the reply has begun otherwise.
  let held: string | null = "";
  for await (const event of events) {
    if (event.type === "retry") held = "";
    if (event.type === "text-delta" && held !== null) {
      held += event.text;
      if (couldBeCalls(held, tools)) continue;
      yield { type: "text-delta", text: held };
      held = null;
    } else if (event.type === "end" && held !== null) {
      yield* endOf(event, held, { tools, ids });
    } else {
      if (event.type === "tool-call") {
        yield* textOf(held ?? "");
        held = null;
      }
      yield event;
    }
  }
}

interface Reading extends Pick<ModelRequest, "tools"> {
  readonly ids: Ids;
}

function* endOf(
  end: Extract<ModelEvent, { type: "end" }>,
  held: string,
  { tools, ids }: Reading,
): Generator<ModelEvent> {
  const reply = readWrittenCalls(held, tools);
  yield* textOf(reply === null ? held : reply.text);
  for (const call of reply?.calls.slice(0, maxCalls) ?? []) yield { type: "tool-call", callId: ids.next(), ...call };
  yield reply === null ? end : { ...end, stopReason: "tool-calls" };
}

function* textOf(text: string): Generator<ModelEvent> {
  if (text !== "") yield { type: "text-delta", text };
}
