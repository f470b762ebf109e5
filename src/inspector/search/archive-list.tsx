// All passages of an archive, newest first, loaded page by page as the user scrolls; and a field to add one.
import { useRef, useState } from "preact/hooks";
import type { CallResult } from "../../client/api-types.ts";
import { Moment } from "../parts/moment.tsx";
import { countText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure, Shown } from "../parts/shown.tsx";
import { TrustMark } from "../parts/trust-mark.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useAction } from "../session/use-action.ts";
import { useLoaded } from "../session/use-loaded.ts";
import { AddPassage } from "./add-passage.tsx";
import type { FoundItem } from "./search-result.ts";

type Passage = CallResult<"GET /agents/:agent/archive">["rows"][number];

const pageSize = 100;

interface ArchiveListProps {
  readonly agent: string;
  readonly onForget: (item: FoundItem) => void;
}

export function ArchiveList({ agent, onForget }: ArchiveListProps) {
  const { client } = useSession();
  const [more, setMore] = useState<readonly Passage[]>([]);
  const isLoading = useRef(false);
  const loading = useAction();
  const page = (number: number) =>
    client.call("GET /agents/:agent/archive", { params: { agent }, query: { page: number, pageSize } });
  const first = useLoaded(() => {
    setMore([]);
    return page(0);
  }, [client, agent]);
  const loadMore = (): void => {
    const rows = (first.value?.rows.length ?? 0) + more.length;
    if (isLoading.current || first.value === undefined || rows >= first.value.total) return;
    isLoading.current = true;
    void loading
      .run(async () => {
        const next = await page(Math.floor(rows / pageSize));
        const known = new Set([...(first.value?.rows ?? []), ...more].map(({ id }) => id));
        setMore([...more, ...next.rows.filter(({ id }) => !known.has(id))]);
      })
      .finally(() => (isLoading.current = false));
  };
  return (
    <>
      <AddPassage agent={agent} onAdded={first.reload} />
      <Shown loaded={first}>
        {({ rows, total }) =>
          total === 0 ? (
            <p class="note">The archive is empty.</p>
          ) : (
            <>
              <p class="note">{countText(total, "passage")}, newest first</p>
              {loading.error === undefined ? null : <Failure error={loading.error} retry={loadMore} />}
              <VirtualList
                label="Passages"
                items={[...rows, ...more]}
                keyOf={({ id }) => id}
                estimate={90}
                onEnd={loadMore}
              >
                {(passage) => (
                  <PassageRow agent={agent} passage={passage} onForget={onForget} onDeleted={first.reload} />
                )}
              </VirtualList>
            </>
          )
        }
      </Shown>
    </>
  );
}

interface PassageRowProps {
  readonly agent: string;
  readonly passage: Passage;
  readonly onForget: (item: FoundItem) => void;
  readonly onDeleted: () => void;
}

function PassageRow({ agent, passage, onForget, onDeleted }: PassageRowProps) {
  const { client } = useSession();
  const action = useAction();
  const { id, content, tags, kind, importance, trust, at } = passage;
  const remove = () =>
    action.run(async () => {
      await client.call("DELETE /agents/:agent/archive/:passage", { params: { agent, passage: id } });
      onDeleted();
    });
  return (
    <article class="message" tabIndex={-1} data-item>
      <PlainText text={content} length={2000} />
      <div class="message-head">
        <span class="note">
          <Moment at={at} />, {kind}, importance {importance}
        </span>
        <TrustMark trust={trust} />
        {tags.map((tag) => (
          <span key={tag} class="mark">
            #<PlainText text={tag} length={60} isInline />
          </span>
        ))}
        <button type="button" class="quiet small" disabled={action.isRunning} onClick={remove}>
          Delete
        </button>
        <button type="button" class="quiet" onClick={() => onForget({ kind: "passage", id })}>
          Forget…
        </button>
      </div>
      {action.error === undefined ? null : <Failure error={action.error} />}
    </article>
  );
}
