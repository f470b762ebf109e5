// Ids of what is imported from Letta, which stay the same however often it is imported.
// Invariant: pure; an id of Letta is a prefix with a UUID, which is the id here.
import { derivedId } from "../derived-id.ts";

/** Returns the UUID in an id of Letta, or one derived from the id. */
export function uuidOf(lettaId: string): string {
  const [, uuid] = /^[a-z]+-([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})$/iu.exec(lettaId) ?? [];
  return uuid?.toLowerCase() ?? derivedId("letta", lettaId);
}
