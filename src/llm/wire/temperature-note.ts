// Says once that a model gets no temperature, because it refuses one: always, or while it thinks.
import type { ModelRequest } from "../model.ts";

/** Returns a function that compares each request with the body that is sent for it. */
export function createTemperatureNote(
  name: string,
  log: (line: string) => void,
): (request: ModelRequest, body: { readonly temperature?: unknown }) => void {
  let isSaid = false;
  return (request, body) => {
    if (isSaid || request.temperature === undefined || body.temperature !== undefined) return;
    isSaid = true;
    log(`${name} refuses a temperature, at least with this effort: ${request.temperature} is not sent.`);
  };
}
