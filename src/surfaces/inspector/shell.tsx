// Shows the frame around every view: the navigation, the choice of the agent, and the keyboard shortcuts.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Dialog } from "./parts/dialog.tsx";
import { Icon, type IconName } from "./parts/icon.tsx";
import { Select } from "./parts/select.tsx";
import { beginningOf, visibleText } from "./parts/visible-text.ts";
import { useSession } from "./session/inspector-session.ts";
import { addressOf, agentPlace, type AgentView, overview, type Place, viewGroups } from "./session/place.ts";
import { useKeyPress } from "./session/use-key-press.ts";
import { useCall } from "./session/use-loaded.ts";
import { goTo } from "./session/use-place.ts";

const viewNames: Readonly<Record<AgentView, string>> = {
  memory: "Memory",
  window: "Window",
  conversations: "Conversations",
  exchanges: "Exchanges",
  search: "Search",
  costs: "Costs",
  sources: "Sources",
  tools: "Tools",
  consolidations: "Consolidations",
  schedules: "Schedules",
  settings: "Settings",
};

/** The views that belong to no agent. */
const pageNames = { overview: "Home", evals: "Evaluations", health: "Server" } as const;

export function Shell({ place, children }: { readonly place: Place; readonly children: ComponentChildren }) {
  const { end } = useSession();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const agent = "agent" in place ? place.agent : null;
  const agents = useAgentNames(agent);
  const name = agents.find(({ id }) => id === agent)?.name ?? agent ?? "";
  const view = "agent" in place ? viewNames[place.view] : pageNames[place.view];
  useKeys(agent, () => setHelpOpen(true));
  useEffect(() => {
    document.title = `${beginningOf(visibleText(agent === null ? view : `${view} of ${name}`), 100)} · Palimpsest`;
  }, [view, name]);
  useEffect(() => {
    setMenuOpen(false);
    // Moves the focus to the view, so that the keyboard and screen readers begin at its top, too.
    document.querySelector("main")?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [place.view, agent]);
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the content
      </a>
      <header>
        <div class="top">
          <a class="brand" href={addressOf(overview)}>
            <span class="brand-dot" /> Palimpsest
          </a>
          <button type="button" class="menu" aria-expanded={isMenuOpen} onClick={() => setMenuOpen(!isMenuOpen)}>
            <Icon name="menu" /> {agent === null ? view : beginningOf(visibleText(name), 20)}
          </button>
        </div>
        <div class={isMenuOpen ? "views open" : "views"}>
          <AgentChoice agents={agents} agent={agent} view={"agent" in place ? place.view : "memory"} />
          <ViewList agent={agent} place={place} />
          <div class="tools">
            <button type="button" onClick={() => setHelpOpen(true)} title="Shortcuts (?)">
              <Icon name="keyboard" /> Shortcuts
            </button>
            <button type="button" onClick={() => end(null)} title="Removes the key from this tab">
              <Icon name="leave" /> Log out
            </button>
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      {isHelpOpen ? <KeyHelp onClose={() => setHelpOpen(false)} /> : null}
    </>
  );
}

/** Moves the focus to the content. Following the link to `#main` instead would change the place in the address. */
function skipToMain(event: Event): void {
  event.preventDefault();
  document.querySelector("main")?.focus();
}

function ViewList({ agent, place }: { readonly agent: string | null; readonly place: Place }) {
  return (
    <nav aria-label="Views">
      <ViewLink to={overview} name={pageNames.overview} icon="home" isCurrent={place.view === "overview"} />
      {agent === null
        ? null
        : viewGroups.map(({ name, views }) => (
            <div key={name} role="group" aria-labelledby={`views-${name}`}>
              <p id={`views-${name}`}>{name}</p>
              {views.map((each) => (
                <ViewLink
                  key={each}
                  to={agentPlace(agent, each)}
                  name={viewNames[each]}
                  icon={each}
                  isCurrent={place.view === each}
                />
              ))}
            </div>
          ))}
      <hr />
      {(["evals", "health"] as const).map((each) => (
        <ViewLink key={each} to={{ view: each }} name={pageNames[each]} icon={each} isCurrent={place.view === each} />
      ))}
    </nav>
  );
}

interface ViewLinkProps {
  readonly to: Place;
  readonly name: string;
  readonly icon: IconName;
  readonly isCurrent: boolean;
}

function ViewLink({ to, name, icon, isCurrent }: ViewLinkProps) {
  return (
    <a href={addressOf(to)} aria-current={isCurrent ? "page" : undefined}>
      <Icon name={icon} /> {name}
    </a>
  );
}

interface AgentName {
  readonly id: string;
  readonly name: string;
}

/** Maximum number of agents in the list; the first page links to the others. */
const listed = 100;

/** Returns the agents to choose from, including the given one. Loads the agents again if the given one is new. */
function useAgentNames(agent: string | null): readonly AgentName[] {
  const { value: agents = [], isLoading, reload } = useCall("GET /agents", { query: { limit: listed } });
  const isKnown = agent === null || agents.some(({ id, name }) => id === agent || name === agent);
  useEffect(() => {
    if (!isKnown && !isLoading) reload();
  }, [agent]);
  return isKnown ? agents : [{ id: agent, name: agent }, ...agents];
}

interface AgentChoiceProps {
  readonly agents: readonly AgentName[];
  /** The name or id of the agent; null in a view that belongs to no agent. */
  readonly agent: string | null;
  readonly view: AgentView;
}

function AgentChoice({ agents, agent, view }: AgentChoiceProps) {
  const chosen = agents.find(({ id, name }) => id === agent || name === agent);
  const choices = agents.map(({ id, name }) => [id, beginningOf(visibleText(name), 60)] as const);
  return (
    <Select
      aria-label="Agent"
      value={chosen?.id ?? agent ?? ""}
      choices={[["", "All agents"], ...choices]}
      onChoose={(id) => goTo(id === "" ? overview : agentPlace(id, view))}
    />
  );
}

const keys: readonly (readonly [keys: string, meaning: string])[] = [
  ["g o", "home: what waits, what was learned, all agents"],
  ["g m", "memory"],
  ["g w", "window"],
  ["g c", "conversations"],
  ["g x", "exchanges with other agents"],
  ["g s", "search"],
  ["g t", "costs and tokens"],
  ["g f", "sources"],
  ["g l", "tools"],
  ["g r", "consolidations"],
  ["g d", "schedules"],
  ["g a", "settings of the agent"],
  ["g e", "evaluations"],
  ["g h", "the server"],
  ["j, k", "next, previous item of a list"],
  ["← →", "the step before, after (in the window)"],
  ["/", "the search field"],
  ["Esc", "close a dialog"],
  ["?", "this list"],
];

function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Shortcuts" onClose={onClose}>
      <dl class="facts">
        {keys.map(([pressed, meaning]) => (
          <div key={pressed}>
            <dt>
              <kbd>{pressed}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

/** The view that each letter opens after `g`. */
const viewKeys: Readonly<Record<string, AgentView>> = {
  m: "memory",
  w: "window",
  c: "conversations",
  x: "exchanges",
  s: "search",
  t: "costs",
  f: "sources",
  l: "tools",
  r: "consolidations",
  d: "schedules",
  a: "settings",
};

/** Milliseconds in which the letter must follow `g`. */
const sequenceMs = 1500;

function useKeys(agent: string | null, openHelp: () => void): void {
  const startedAt = useRef(-sequenceMs);
  useKeyPress((event) => {
    const isSecond = event.timeStamp - startedAt.current < sequenceMs;
    startedAt.current = -sequenceMs;
    if (isSecond) {
      const place = placeOfKey(event.key, agent);
      if (place !== null) goTo(place);
      return;
    }
    if (event.key === "g") startedAt.current = event.timeStamp;
    else if (event.key === "?") openHelp();
    else if (event.key === "j") moveFocus(1);
    else if (event.key === "k") moveFocus(-1);
    else if (event.key === "/") focusSearch(event);
  });
}

function placeOfKey(key: string, agent: string | null): Place | null {
  if (key === "o") return overview;
  if (key === "h") return { view: "health" };
  if (key === "e") return { view: "evals" };
  const view = viewKeys[key];
  return view === undefined || agent === null ? null : agentPlace(agent, view);
}

function moveFocus(by: 1 | -1): void {
  const items = [...document.querySelectorAll<HTMLElement>("main [data-item]")];
  const at = items.findIndex((item) => item === document.activeElement);
  const next = at === -1 ? (by === 1 ? 0 : items.length - 1) : at + by;
  items[next]?.focus();
}

function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLElement>("main input[type=search]");
  if (field === null) return;
  event.preventDefault();
  field.focus();
}
