// Checks the data of one user: passages without vectors, unfinished turns, files without content, shared agents.
// Invariant: queries run as that user, so they need no rights beyond those of the runtime's role.
import type { UserStore } from "../../store/port/store.ts";
import { type Embedders, kindsInUse, needOf } from "../../memory/vectors/embedders.ts";
import type { Finding } from "./contract.ts";
import { failing, ok, warning } from "./finding.ts";

export async function userFindings(store: UserStore, embedders: Embedders): Promise<readonly Finding[]> {
  return [
    await vectorsFinding(store, embedders).catch(failing("vectors")),
    await turnsFinding(store).catch(failing("turns")),
    await attachmentsFinding(store).catch(failing("attachments")),
    await sharingFinding(store).catch(failing("sharing")),
  ];
}

async function vectorsFinding(store: UserStore, embedders: Embedders): Promise<Finding> {
  if (embedders.default === null)
    return ok("vectors", "Searches of archival memory compare words only: no embedder is configured.");
  const kinds = await kindsInUse({ store: store.embedders, embedders });
  const names = kinds.map(({ embedder }) => embedder).join(", ");
  const missing: string[] = [];
  for (const kind of kinds) {
    const counts = await store.passages.countWithoutVector(needOf(kind, embedders));
    const passages = counts.reduce((sum, count) => sum + count.passages, 0);
    if (passages > 0) missing.push(`${passages} passages of "${store.userId}" have no vector of ${kind.embedder}`);
  }
  if (missing.length === 0) return ok("vectors", `Every passage of "${store.userId}" has a vector of ${names}.`);
  return warning(
    "vectors",
    `${missing.join("; ")}: they are found only by words.`,
    "Run `palimpsest doctor --repair`. An open runtime of this user also makes the vectors in the background.",
  );
}

async function attachmentsFinding(store: UserStore): Promise<Finding> {
  const { missing, due } = await store.attachments.count();
  if (missing > 0) {
    const found = `${missing} files on messages of "${store.userId}" have lost their content: models see a note instead.`;
    return warning("attachments", found, "Attach the files again, or restore a backup.");
  }
  if (due === 0) return ok("attachments", `Every file on a message of "${store.userId}" has its content.`);
  const found = `${due} unreferenced objects of "${store.userId}" outside of the database are not deleted yet.`;
  return warning("attachments", found, "The user's next runtime with the same `objects` setting deletes the objects.");
}

/** Lists other users' agents that the user uses, is offered or may only read, as `owner/name`. Never returns a warning. */
async function sharingFinding(store: UserStore): Promise<Finding> {
  const used = (await store.agents.list()).filter(({ ownerId }) => ownerId !== store.userId);
  const groups: readonly (readonly [string, readonly { readonly name: string }[]])[] = [
    ["uses", used],
    ["is offered", await store.agents.offers()],
    ["can only read conversations with", await store.agents.former()],
  ];
  const found = groups
    .filter(([, agents]) => agents.length > 0)
    .map(([what, agents]) => `${what} ${agents.map(({ name }) => name).join(", ")}`);
  if (found.length === 0) return ok("sharing", `"${store.userId}" uses no agent of another user and has no offers.`);
  return ok("sharing", `Agents of other users: "${store.userId}" ${found.join("; ")}.`);
}

async function turnsFinding(store: UserStore): Promise<Finding> {
  const { conversations, calls } = await store.conversations.countUnfinished();
  if (conversations === 0 && calls === 0) return ok("turns", `No turn of "${store.userId}" is unfinished.`);
  const found = `${conversations} conversations of "${store.userId}" end with an unfinished turn, with ${calls} tool calls without a result.`;
  return warning(
    "turns",
    found,
    "A turn may be running now. Otherwise the next message or agent.resume() continues the turn.",
  );
}
