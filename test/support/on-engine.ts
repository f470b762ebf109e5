// Suites that run on one engine only: what keeps them from the other stands in their titles, which the count of tests prints.
import { isOnServer } from "./database.ts";

/** `describe` for one engine. `reason` ends the title: why the other engine cannot have these tests. */
export function onEngine(engine: "server" | "embedded engine", reason: string) {
  const runs = isOnServer === (engine === "server") ? describe : describe.skip;
  return (title: string, body: () => void): void => runs(`${title} (on the ${engine} alone: ${reason})`, body);
}
