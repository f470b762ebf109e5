// Both searches of an agent, with the reason for each hit.
import { useState } from "preact/hooks";
import { countText } from "../parts/number-text.ts";
import { Shown } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { agentPlace } from "../session/place.ts";
import { useLoaded } from "../session/use-loaded.ts";
import { goTo } from "../session/use-place.ts";
import { ForgetDialog } from "../forget/forget-dialog.tsx";
import { PassageList } from "../passages/passage-list.tsx";
import { HitList } from "./hit-list.tsx";
import { SearchForm } from "./search-form.tsx";
import type { FoundItem, SearchResult } from "./search-result.ts";
import { type AddressQuery, addressQueryOf, type SearchRequest, searchRequestOf } from "./search-request.ts";

interface SearchViewProps {
  readonly agent: string;
  readonly query: AddressQuery;
}

const pageSize = 20;

export function SearchView({ agent, query }: SearchViewProps) {
  const request = searchRequestOf(query);
  const [round, setRound] = useState(0);
  const [forgotten, setForgotten] = useState<FoundItem | null>(null);
  const show = (next: SearchRequest): void => goTo(agentPlace(agent, "search", [], addressQueryOf(next)));
  const changed = (): void => setRound((count) => count + 1);
  return (
    <>
      <h1>Search</h1>
      <SearchForm key={JSON.stringify({ ...request, page: 0 })} request={request} onSearch={show} />
      {request.query === "" ? (
        request.kind === "archive" ? (
          <PassageList home={{ agent }} />
        ) : (
          <p class="note">Enter words to search all messages, or a text in double quotes to find it exactly.</p>
        )
      ) : (
        <Results
          agent={agent}
          request={request}
          round={round}
          onPage={(page) => show({ ...request, page })}
          onForget={setForgotten}
          onChange={changed}
        />
      )}
      {forgotten === null ? null : (
        <ForgetDialog
          item={forgotten}
          onClose={() => setForgotten(null)}
          onForgotten={() => {
            setForgotten(null);
            changed();
          }}
        />
      )}
    </>
  );
}

interface ResultsProps {
  readonly agent: string;
  readonly request: SearchRequest;
  readonly round: number;
  readonly onPage: (page: number) => void;
  readonly onForget: (item: FoundItem) => void;
  readonly onChange: () => void;
}

function Results({ agent, request, round, onPage, onForget, onChange }: ResultsProps) {
  const { client } = useSession();
  const { kind, query, page, tags, start, end, neighbours, includeAbandoned } = request;
  const result = useLoaded(
    (signal): Promise<SearchResult> => {
      const common = { query, page, pageSize };
      if (kind === "archive") {
        const sent = { ...common, ...(tags.length === 0 ? {} : { tags: [...tags] }) };
        return client.call("GET /agents/:agent/archive/search", { params: { agent }, query: sent, signal });
      }
      const days = { ...(start === "" ? {} : { start }), ...(end === "" ? {} : { end }) };
      const sent = { ...common, ...days, neighbours, includeAbandoned };
      return client.call("GET /agents/:agent/recall", { params: { agent }, query: sent, signal });
    },
    [client, agent, JSON.stringify(request), round],
  );
  return (
    <Shown loaded={result}>
      {(found) => (
        <>
          <p class="note" role="status">
            {countText(found.total, "hit")}
          </p>
          <HitList agent={agent} request={request} result={found} onForget={onForget} onChange={onChange} />
          <div class="actions">
            <button type="button" disabled={page === 0} onClick={() => onPage(page - 1)}>
              ← Better
            </button>
            <span class="note">
              Page {page + 1} of {Math.max(1, Math.ceil(found.total / pageSize))}
            </span>
            <button type="button" disabled={(page + 1) * pageSize >= found.total} onClick={() => onPage(page + 1)}>
              Worse →
            </button>
          </div>
        </>
      )}
    </Shown>
  );
}
