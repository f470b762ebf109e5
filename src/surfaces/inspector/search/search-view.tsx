// Searches an agent's archive and messages, and shows the hits with the reasons for their ranks.
import { useState } from "preact/hooks";
import { type ForgottenItem, useForgetting } from "../forget/forget-dialog.tsx";
import { Choices } from "../parts/choices.tsx";
import { countText } from "../parts/number-text.ts";
import { Select } from "../parts/select.tsx";
import { Shown } from "../parts/shown.tsx";
import { PassageList } from "../passages/passage-list.tsx";
import { tagsIn } from "../passages/tags-in.ts";
import { useSession } from "../session/inspector-session.ts";
import { agentPlace } from "../session/place.ts";
import { submitting, typed } from "../session/use-action.ts";
import { useLoaded } from "../session/use-loaded.ts";
import { goTo } from "../session/use-place.ts";
import { HitList, type SearchResult } from "./hit-list.tsx";
import {
  type AddressQuery,
  addressQueryOf,
  type SearchKind,
  type SearchRequest,
  searchRequestOf,
} from "./search-request.ts";

const pageSize = 20;

export function SearchView({ agent, query }: { readonly agent: string; readonly query: AddressQuery }) {
  const request = searchRequestOf(query);
  const [round, setRound] = useState(0);
  const show = (next: SearchRequest): void => goTo(agentPlace(agent, "search", [], addressQueryOf(next)));
  const changed = (): void => setRound((count) => count + 1);
  const { forget, dialog } = useForgetting(changed);
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
          onForget={forget}
          onChange={changed}
        />
      )}
      {dialog}
    </>
  );
}

interface ResultsProps {
  readonly agent: string;
  readonly request: SearchRequest;
  readonly round: number;
  readonly onPage: (page: number) => void;
  readonly onForget: (item: ForgottenItem) => void;
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
          <div class="actions" hidden={found.total <= pageSize}>
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

interface SearchFormProps {
  readonly request: SearchRequest;
  readonly onSearch: (request: SearchRequest) => void;
}

const kinds: readonly (readonly [SearchKind, string])[] = [
  ["archive", "Archive and sources"],
  ["recall", "Messages"],
];

/** Shows the fields for the words to search for, where to search, and the filters. */
function SearchForm({ request, onSearch }: SearchFormProps) {
  const [query, setQuery] = useState(request.query);
  const [tags, setTags] = useState(request.tags.join(", "));
  const search = (change: Partial<SearchRequest> = {}): void =>
    onSearch({ ...request, query: query.trim(), tags: tagsIn(tags), ...change, page: 0 });
  return (
    <form class="search-form" role="search" onSubmit={submitting(() => search())}>
      <div class="actions">
        <input
          type="search"
          aria-label="Words to search for"
          placeholder='words, or "an exact text"'
          value={query}
          onInput={typed(setQuery)}
        />
        <button type="submit" class="main">
          Search
        </button>
      </div>
      <div class="actions filters">
        <Choices legend="Where to search" choices={kinds} chosen={request.kind} onChoose={(kind) => search({ kind })} />
        {request.kind === "archive" ? (
          <label>
            Tags{" "}
            <input
              type="text"
              placeholder="any of these, separated by commas"
              size={34}
              value={tags}
              onInput={typed(setTags)}
            />
          </label>
        ) : (
          <RecallFilters request={request} onChange={search} />
        )}
      </div>
    </form>
  );
}

interface RecallFiltersProps {
  readonly request: SearchRequest;
  readonly onChange: (change: Partial<SearchRequest>) => void;
}

function RecallFilters({ request: { start, end, neighbours, includeAbandoned }, onChange }: RecallFiltersProps) {
  return (
    <div class="actions">
      <label>
        From <input type="date" value={start} onChange={typed((day) => onChange({ start: day }))} />
      </label>
      <label>
        to <input type="date" value={end} onChange={typed((day) => onChange({ end: day }))} />
      </label>
      <label>
        Messages around a hit{" "}
        <Select
          value={String(neighbours)}
          choices={["0", "1", "2", "5"].map((count) => [count, count] as const)}
          onChoose={(count) => onChange({ neighbours: Number(count) })}
        />
      </label>
      <label>
        <input
          type="checkbox"
          checked={includeAbandoned}
          onChange={(event) => onChange({ includeAbandoned: event.currentTarget.checked })}
        />{" "}
        also branches
      </label>
    </div>
  );
}
