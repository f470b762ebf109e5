// The frame around every view: the navigation, the choice of the agent, and the keys.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { KeyHelp } from "./parts/key-help.tsx";
import { useSession } from "./session/inspector-session.ts";
import { addressOf, agentPlace, type AgentView, agentViews, overview, type Place } from "./session/place.ts";
import { useKeys } from "./session/use-keys.ts";
import { goTo } from "./session/use-place.ts";
import { useLoaded } from "./session/use-loaded.ts";
import { beginningOf, visibleText } from "./parts/visible-text.ts";

export const viewNames: Readonly<Record<AgentView, string>> = {
  memory: "Memory",
  window: "Window",
  conversations: "Conversations",
  search: "Search",
  costs: "Costs",
  sources: "Sources",
  schedules: "Schedules",
};

/** The views that are of no agent. */
const pageNames = { overview: "Agents", evals: "Evaluations", health: "Server" } as const;

interface ShellProps {
  readonly place: Place;
  readonly children: ComponentChildren;
}

export function Shell({ place, children }: ShellProps) {
  const { end } = useSession();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const agent = "agent" in place ? place.agent : null;
  const agents = useAgentNames(agent);
  const name = agents.find(({ id }) => id === agent)?.name ?? agent ?? "";
  useKeys(agent, () => setHelpOpen(true));
  useEffect(() => {
    const view = "agent" in place ? `${viewNames[place.view]} of ${name}` : pageNames[place.view];
    document.title = `${beginningOf(visibleText(view), 100)} · Palimpsest`;
  }, [place.view, name]);
  useEffect(() => {
    document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    // A new view begins at its top, and screen readers begin there too.
    document.querySelector("main")?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [place.view, agent]);
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the content
      </a>
      <header>
        <a class="brand" href={addressOf(overview)} aria-current={place.view === "overview" ? "page" : undefined}>
          Palimpsest
        </a>
        {agent === null ? null : (
          <AgentChoice agents={agents} agent={agent} view={"agent" in place ? place.view : "memory"} />
        )}
        <nav aria-label="Views">
          {agent === null
            ? null
            : agentViews.map((view) => <ViewLink key={view} agent={agent} view={view} place={place} />)}
          {(["evals", "health"] as const).map((view) => (
            <a key={view} href={addressOf({ view })} aria-current={place.view === view ? "page" : undefined}>
              {pageNames[view]}
            </a>
          ))}
        </nav>
        <span class="tools">
          <button type="button" class="quiet" onClick={() => setHelpOpen(true)} aria-label="Keys" title="Keys (?)">
            ?
          </button>
          <button type="button" class="quiet" onClick={() => end(null)}>
            Forget key
          </button>
        </span>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      {isHelpOpen ? <KeyHelp onClose={() => setHelpOpen(false)} /> : null}
    </>
  );
}

/** A link to `#main` would change the place. */
function skipToMain(event: Event): void {
  event.preventDefault();
  document.querySelector("main")?.focus();
}

interface ViewLinkProps {
  readonly agent: string;
  readonly view: AgentView;
  readonly place: Place;
}

function ViewLink({ agent, view, place }: ViewLinkProps) {
  return (
    <a href={addressOf(agentPlace(agent, view))} aria-current={place.view === view ? "page" : undefined}>
      {viewNames[view]}
    </a>
  );
}

interface AgentName {
  readonly id: string;
  readonly name: string;
}

/** Agents in the list; the overview leads to the others. */
const listed = 100;

/** Returns agents to choose from, with this one. */
function useAgentNames(agent: string | null): readonly AgentName[] {
  const { client } = useSession();
  const { value: agents = [] } = useLoaded(
    async (signal) => (agent === null ? [] : client.call("GET /agents", { query: { limit: listed }, signal })),
    [client, agent === null],
  );
  if (agent === null || agents.some(({ id, name }) => id === agent || name === agent)) return agents;
  return [{ id: agent, name: agent }, ...agents];
}

interface AgentChoiceProps {
  readonly agents: readonly AgentName[];
  readonly agent: string;
  readonly view: AgentView;
}

function AgentChoice({ agents, agent, view }: AgentChoiceProps) {
  const chosen = agents.find(({ id, name }) => id === agent || name === agent);
  return (
    <select
      aria-label="Agent"
      value={chosen?.id ?? agent}
      onChange={(event) => goTo(agentPlace(event.currentTarget.value, view))}
    >
      {agents.map(({ id, name }) => (
        <option key={id} value={id}>
          {beginningOf(visibleText(name), 60)}
        </option>
      ))}
    </select>
  );
}
