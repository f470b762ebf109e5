// `fetch` for MCP servers, with a bound on what one answer can hold.
import { ToolError } from "../errors.ts";

/** Returns a `fetch` whose answers fail beyond `maxBytes`. */
export function boundedFetch(maxBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
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
