// A provider that answers from a script through the real adapter, and reports each request's body first.
// Invariant: it returns the next reply of the script, and a summary for each summary request.

export interface ScriptedReply {
  readonly text?: string;
  readonly call?: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
}

export interface ScriptedProvider {
  readonly fetch: typeof globalThis.fetch;
  /** Returns the next answer. */
  readonly replies: ScriptedReply[];
}

export interface SeenBody {
  readonly text: string;
  readonly isSummary: boolean;
}

/** Creates the provider; `see` receives each body when it is sent. */
export function createScriptedProvider(see: (body: SeenBody) => void): ScriptedProvider {
  const replies: ScriptedReply[] = [];
  let calls = 0;
  return {
    replies,
    async fetch(_url, init) {
      if (typeof init?.body !== "string") throw new Error("Expected a body of text.");
      const text = init.body;
      const isSummary = text.includes('"text":"You summarize');
      see({ text, isSummary });
      calls += 1;
      const reply = isSummary ? { text: summary(calls) } : replies.shift();
      if (reply === undefined) throw new Error("The script of the provider has no reply left.");
      const body = events(reply, { callId: `toolu_${calls}`, inputTokens: Math.ceil(text.length / 4) });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  };
}

function summary(calls: number): string {
  return `Summary ${calls}. ${"We spoke of boats, tides and the people at the harbour, and agreed on what to do next. ".repeat(12)}`;
}

function events(
  { text, call }: ScriptedReply,
  { callId, inputTokens }: { readonly callId: string; readonly inputTokens: number },
): string {
  const block =
    call === undefined ? { type: "text", text: "" } : { type: "tool_use", id: callId, name: call.name, input: {} };
  const delta =
    call === undefined
      ? { type: "text_delta", text: text ?? "" }
      : { type: "input_json_delta", partial_json: JSON.stringify(call.arguments) };
  return [
    { type: "message_start", message: { usage: { input_tokens: inputTokens, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: call === undefined ? "end_turn" : "tool_use" },
      usage: { output_tokens: 50 },
    },
    { type: "message_stop" },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
}
