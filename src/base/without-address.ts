// Removes addresses from messages about a model's server, because clients of Palimpsest's server may read the messages.
// Invariant: pure.
import { reasonMark, saidMark, titleOfServer } from "./errors.ts";

const title = new RegExp(String.raw`${titleOfServer("")}(?!the )(?:\[[^\]]*\]|[^\s:]+)(?::\d+)?`, "gu");
const url = /[a-z][a-z+.-]*:\/\/[^\s"'<>)]+/giu;
const hostAndPort = /(?:\blocalhost|[\w-]+(?:\.[\w-]+)+):\d{2,5}\b|\b\d+(?:\.\d+){3}\b/giu;

/** Returns a message about a model's provider without addresses. `provider`: as in a model's name; undefined if not known. */
export function withoutAddress(message: string, provider?: string): string {
  const [own = "", ...said] = (message.split(` ${reasonMark}`)[0] ?? "").split(saidMark);
  const name = provider === undefined ? "The provider" : `The provider "${provider}"`;
  const quoted = said.map((text) => text.replaceAll(url, "[address]").replaceAll(hostAndPort, "[address]"));
  return [own.replaceAll(title, name), ...quoted].join(saidMark);
}
