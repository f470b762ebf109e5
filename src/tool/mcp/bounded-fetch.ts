// `fetch` for MCP servers, with a bound on what one answer can hold.
import { ToolError } from "../../base/errors.ts";

/** Returns `send`, with answers that fail beyond `maxBytes`. */
export function boundedFetch(maxBytes: number, send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init);
    if (response.body === null) return response;
    let length = 0;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        length += chunk.byteLength;
        if (length > maxBytes) controller.error(new ToolError("it sent too much in one answer"));
        else controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
  };
}
