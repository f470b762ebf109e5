// Suites that run on one engine only: what keeps them from the other stands in their titles, which the count of tests prints.
import { isOnServer, isPooled } from "./database.ts";

/** `describe` for one engine. `reason` ends the title: why the other engine cannot have these tests. */
export const onEngine = (engine: "server" | "embedded engine", reason: string) =>
  describeIf(isOnServer === (engine === "server"), `on the ${engine} alone: ${reason}`);

/** `describe` for a server, with or without a transaction pooler in between. */
export const onServer = (access: "directly" | "through a pooler", reason: string) =>
  describeIf(isOnServer && isPooled === (access === "through a pooler"), `on a server, ${access}: ${reason}`);

function describeIf(runs: boolean, when: string) {
  const suite = runs ? describe : describe.skip;
  return (title: string, body: () => void): void => suite(`${title} (${when})`, body);
}
