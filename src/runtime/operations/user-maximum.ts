// Checks that a user does not exceed the maximum numbers of agents and files.
// Invariant: a maximum is checked before anything is written. Concurrent requests together may exceed a maximum.
import { RequestError } from "../../base/errors.ts";
import type { UserStore } from "../../store/port/store.ts";

/** Maximum numbers for each user; null: no limit. */
export interface UserMaximum {
  readonly agents: number | null;
  readonly files: number | null;
}

interface MaximumDeps {
  readonly store: Pick<UserStore, "agents" | "sources" | "sourceFiles">;
  readonly maximum: UserMaximum;
}

/** Throws RequestError `user_limit_reached` if `added` more agents would exceed the user's maximum. */
export async function requireRoomForAgents({ store, maximum }: MaximumDeps, added: number): Promise<void> {
  if (maximum.agents === null || (await store.agents.count()) + added <= maximum.agents) return;
  throw tooMany(`${maximum.agents} agents`, "maxUserAgents");
}

/**
 * Throws RequestError `user_limit_reached` if the user's files would exceed the maximum once the files with these paths
 * are stored in a source. `source`: null for a new source.
 */
export async function requireRoomForFiles(
  { store, maximum }: MaximumDeps,
  source: { readonly id: string } | null,
  paths: readonly string[],
): Promise<void> {
  if (maximum.files === null) return;
  const stored = (await store.sources.list()).reduce((sum, { files }) => sum + files, 0);
  if (stored + paths.length <= maximum.files) return;
  const known = new Set(source === null ? [] : (await store.sourceFiles.list(source.id)).map(({ path }) => path));
  const added = paths.filter((path) => !known.has(path)).length;
  if (stored + added > maximum.files) throw tooMany(`${maximum.files} files in sources`, "maxUserFiles");
}

function tooMany(what: string, setting: string): RequestError {
  return new RequestError(
    "user_limit_reached",
    `A user may have at most ${what} (\`${setting}\`), and this would exceed the maximum. Delete some first. Nothing was written.`,
  );
}
