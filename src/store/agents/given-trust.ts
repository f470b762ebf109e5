// The trust class with which a text is stored, by who wrote it and what its writer says.
// Invariant: an import is never anything but `external`, and what a model wrote without saying more is as well.
import type { Origin } from "../../memory/records.ts";
import type { Trust } from "../../message/message.ts";

export function givenTrust(origin: Origin, said: Trust | undefined): Trust {
  if (origin === "import") return "external";
  return said ?? (origin === "model" ? "external" : "user");
}
