// The passages of a source, newest first, loaded page by page as the user scrolls.
import { useRef, useState } from "preact/hooks";
import type { CallResult } from "../../client/api-types.ts";
import { countText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure, Shown } from "../parts/shown.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useAction } from "../session/use-action.ts";
import { useLoaded } from "../session/use-loaded.ts";

type Passage = CallResult<"GET /sources/:source/passages">["rows"][number];

const pageSize = 100;

export function SourcePassages({ source }: { readonly source: string }) {
  const { client } = useSession();
  const [more, setMore] = useState<readonly Passage[]>([]);
  const isLoading = useRef(false);
  const loading = useAction();
  const page = (number: number) =>
    client.call("GET /sources/:source/passages", { params: { source }, query: { page: number, pageSize } });
  const first = useLoaded(() => page(0), [client, source]);
  const loadMore = (): void => {
    const rows = (first.value?.rows.length ?? 0) + more.length;
    if (isLoading.current || first.value === undefined || rows >= first.value.total) return;
    isLoading.current = true;
    void loading
      .run(async () => {
        const next = await page(Math.floor(rows / pageSize));
        setMore([...more, ...next.rows]);
      })
      .finally(() => (isLoading.current = false));
  };
  return (
    <Shown loaded={first}>
      {({ rows, total }) =>
        total === 0 ? (
          <p class="note">It has no passages.</p>
        ) : (
          <>
            <h3>{countText(total, "passage")}</h3>
            {loading.error === undefined ? null : <Failure error={loading.error} retry={loadMore} />}
            <VirtualList
              label="Passages"
              items={[...rows, ...more]}
              keyOf={({ id }) => id}
              estimate={80}
              onEnd={loadMore}
            >
              {({ content }) => (
                <article class="message" tabIndex={-1} data-item>
                  <PlainText text={content} length={2000} />
                </article>
              )}
            </VirtualList>
          </>
        )
      }
    </Shown>
  );
}
