// The passages of an archive or a source, newest first, loaded page by page.
// Invariant: no passage is there twice, also if others were added or removed between two pages.
import { useRef, useState } from "preact/hooks";
import { useSession } from "../session/inspector-session.ts";
import { type Action, useAction } from "../session/use-action.ts";
import { type Loaded, useLoaded } from "../session/use-loaded.ts";
import { countPassages, listPassages, type Passage, type PassageHome } from "./passage-home.ts";

const pageSize = 100;

interface FirstPassages {
  readonly passages: readonly Passage[];
  readonly total: number;
}

export interface LoadedPassages {
  readonly first: Loaded<FirstPassages>;
  /** With those of later pages, and as they were changed or removed here. */
  readonly rows: readonly Passage[];
  readonly total: number;
  readonly more: Action;
  readonly loadMore: () => void;
  /** Null: it was removed. */
  readonly change: (id: string, tags: readonly string[] | null) => void;
}

export function usePassages(home: PassageHome): LoadedPassages {
  const { client } = useSession();
  const [later, setLater] = useState<readonly Passage[]>([]);
  const [changes, setChanges] = useState<ReadonlyMap<string, readonly string[] | null>>(new Map());
  const isLoading = useRef(false);
  const more = useAction();
  const first = useLoaded(async () => {
    setLater([]);
    setChanges(new Map());
    const [passages, total] = await Promise.all([
      listPassages(client, home, { limit: pageSize }),
      countPassages(client, home),
    ]);
    return { passages, total };
  }, [client, "agent" in home ? home.agent : home.source]);
  const known = [...(first.value?.passages ?? []), ...later];
  const rows = known.flatMap((passage) => {
    const tags = changes.get(passage.id);
    return tags === null ? [] : [tags === undefined ? passage : { ...passage, tags: [...tags] }];
  });
  const total = (first.value?.total ?? 0) - (known.length - rows.length);
  return {
    first,
    rows,
    total,
    more,
    loadMore() {
      const last = rows.at(-1);
      if (isLoading.current || last === undefined || rows.length >= total) return;
      isLoading.current = true;
      void more
        .run(async () => {
          const next = await listPassages(client, home, { after: last.id, limit: pageSize });
          setLater([...later, ...next]);
        })
        .finally(() => (isLoading.current = false));
    },
    change: (id, tags) => setChanges(new Map([...changes, [id, tags]])),
  };
}
