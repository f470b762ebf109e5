// The words to search for, where to search, and the filters.
import { useState } from "preact/hooks";
import { tagsIn } from "../passages/tags-in.ts";
import type { SearchKind, SearchRequest } from "./search-request.ts";

interface SearchFormProps {
  readonly request: SearchRequest;
  readonly onSearch: (request: SearchRequest) => void;
}

const kinds: readonly (readonly [SearchKind, string])[] = [
  ["archive", "Archive and sources"],
  ["recall", "Messages"],
];

export function SearchForm({ request, onSearch }: SearchFormProps) {
  const [query, setQuery] = useState(request.query);
  const [tags, setTags] = useState(request.tags.join(", "));
  const search = (change: Partial<SearchRequest> = {}): void =>
    onSearch({ ...request, query: query.trim(), tags: tagsIn(tags), ...change, page: 0 });
  return (
    <form
      class="search-form"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        search();
      }}
    >
      <fieldset class="choices">
        <legend class="off-screen">Where to search</legend>
        {kinds.map(([kind, name]) => (
          <label key={kind}>
            <input type="radio" name="kind" checked={request.kind === kind} onChange={() => search({ kind })} /> {name}
          </label>
        ))}
      </fieldset>
      <div class="actions">
        <input
          type="search"
          aria-label="Words to search for"
          placeholder='words, or "an exact text"'
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <button type="submit" class="main">
          Search
        </button>
      </div>
      {request.kind === "archive" ? (
        <label>
          Tags{" "}
          <input
            type="text"
            placeholder="any of these, separated by commas"
            size={34}
            value={tags}
            onInput={(event) => setTags(event.currentTarget.value)}
          />
        </label>
      ) : (
        <RecallFilters request={request} onChange={search} />
      )}
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
        From <input type="date" value={start} onChange={(event) => onChange({ start: event.currentTarget.value })} />
      </label>
      <label>
        to <input type="date" value={end} onChange={(event) => onChange({ end: event.currentTarget.value })} />
      </label>
      <label>
        Messages around a hit{" "}
        <select
          value={String(neighbours)}
          onChange={(event) => onChange({ neighbours: Number(event.currentTarget.value) })}
        >
          {[0, 1, 2, 5].map((count) => (
            <option key={count} value={String(count)}>
              {count}
            </option>
          ))}
        </select>
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
