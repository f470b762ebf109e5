// Shows the page: asks for the key if there is none, then shows the view that the address names.
import type { ComponentType } from "preact";
import { useMemo, useState } from "preact/hooks";
import { createClient } from "../client/create-client.ts";
import { ConsolidationsView } from "./consolidations/consolidations-view.tsx";
import { ConversationsView } from "./conversations/conversations-view.tsx";
import { CostsView } from "./costs/costs-view.tsx";
import { EvalsView } from "./evals/evals-view.tsx";
import { ExchangesView } from "./exchanges/exchanges-view.tsx";
import { HealthView } from "./health/health-view.tsx";
import { MemoryView } from "./memory/memory-view.tsx";
import { OverviewView } from "./overview/overview-view.tsx";
import { Markdown } from "./parts/markdown.tsx";
import { SchedulesView } from "./schedules/schedules-view.tsx";
import { SearchView } from "./search/search-view.tsx";
import { SettingsView } from "./settings/settings-view.tsx";
import { SessionContext } from "./session/inspector-session.ts";
import { dropKey, keepKey, type TakenKey } from "./session/kept-key.ts";
import type { AgentView, Place } from "./session/place.ts";
import { usePlace } from "./session/use-place.ts";
import { Shell } from "./shell.tsx";
import { SourcesView } from "./sources/sources-view.tsx";
import { ToolsView } from "./tools/tools-view.tsx";
import { WindowView } from "./window/window-view.tsx";
import { submitting, typed } from "./session/use-action.ts";

export function App({ first }: { readonly first: TakenKey }) {
  const [key, setKey] = useState(first.key);
  const [reason, setReason] = useState(first.reason);
  const session = useMemo(() => {
    if (key === null) return null;
    return {
      client: createClient({ url: location.origin, key, fetch: (...request) => fetch(...request) }),
      end: (why: string | null) => {
        dropKey(sessionStorage);
        setReason(why);
        setKey(null);
      },
    };
  }, [key]);
  const place = usePlace();
  if (session === null) {
    return (
      <KeyPrompt
        reason={reason}
        onKey={(given) => {
          keepKey(sessionStorage, given);
          setReason(null);
          setKey(given);
        }}
      />
    );
  }
  return (
    <SessionContext.Provider value={session}>
      <Shell place={place}>
        <View place={place} />
      </Shell>
    </SessionContext.Provider>
  );
}

function View({ place }: { readonly place: Place }) {
  switch (place.view) {
    case "overview":
      return <OverviewView />;
    case "health":
      return <HealthView />;
    case "evals":
      return <EvalsView />;
    default: {
      const AgentPage = agentPages[place.view];
      return <AgentPage {...place} />;
    }
  }
}

const agentPages: { readonly [View in AgentView]: ComponentType<Extract<Place, { readonly agent: string }>> } = {
  memory: MemoryView,
  conversations: ConversationsView,
  exchanges: ExchangesView,
  search: SearchView,
  window: WindowView,
  costs: CostsView,
  sources: SourcesView,
  tools: ToolsView,
  consolidations: ConsolidationsView,
  schedules: SchedulesView,
  settings: SettingsView,
};

interface KeyPromptProps {
  /** Why the last key was refused; null if no key was refused. */
  readonly reason: string | null;
  readonly onKey: (key: string) => void;
}

const focus = (field: HTMLElement | null): void => field?.focus();

function KeyPrompt({ reason, onKey }: KeyPromptProps) {
  const [key, setKey] = useState("");
  return (
    <main class="prompt">
      <h1>
        <span class="brand-dot" /> Palimpsest inspector
      </h1>
      {reason === null ? null : (
        <div class="failure" role="alert">
          <Markdown text={reason} />
        </div>
      )}
      <form onSubmit={submitting(() => key.trim() !== "" && onKey(key.trim()))}>
        <label for="key">Key of the server</label>
        <input
          id="key"
          ref={focus}
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={key}
          onInput={typed(setKey)}
        />
        <p class="note">
          <code>palimpsest inspect</code> opens this page without asking. The server wrote a key to the file{" "}
          <code>server-key</code> in the data folder when it started. This tab keeps it until you close it.
        </p>
        <button type="submit" class="main">
          Open
        </button>
      </form>
    </main>
  );
}
