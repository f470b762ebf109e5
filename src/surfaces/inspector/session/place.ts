// Converts a place, which says what the inspector shows, to the part of an address after `#`, and back.
// Invariant: pure; any text is read as a place, and the address of a place is read as the same place.

const groups = [
  { name: "Talk", views: ["conversations", "exchanges", "schedules"] },
  { name: "Knowledge", views: ["memory", "search", "sources", "consolidations"] },
  { name: "Work", views: ["window", "tools", "costs", "settings"] },
] as const;
export type AgentView = (typeof groups)[number]["views"][number];

interface ViewGroup {
  readonly name: string;
  readonly views: readonly AgentView[];
}

/** The views of an agent, in the groups and the order of the navigation. */
export const viewGroups: readonly ViewGroup[] = groups;

const agentViews = viewGroups.flatMap(({ views }) => views);

export type Place =
  | { readonly view: "overview" }
  | { readonly view: "health" }
  | { readonly view: "evals" }
  | {
      readonly view: AgentView;
      /** The id of the agent, or its name. */
      readonly agent: string;
      /** The chosen items of the view, such as the label of a module and the number of a revision. */
      readonly path: readonly string[];
      readonly query: Readonly<Record<string, string>>;
    };

export const overview: Place = { view: "overview" };

export function agentPlace(
  agent: string,
  view: AgentView,
  path: readonly string[] = [],
  query: Readonly<Record<string, string>> = {},
): Place {
  return { view, agent, path, query };
}

export function addressOf(place: Place): string {
  if (place.view === "overview") return "#/";
  if (place.view === "health" || place.view === "evals") return `#/${place.view}`;
  const parts = ["agents", place.agent, place.view, ...place.path];
  const query = new URLSearchParams(place.query).toString();
  return `#/${parts.map((part) => encodeURIComponent(part)).join("/")}${query === "" ? "" : `?${query}`}`;
}

/** Returns the place of an address; the overview for an unknown address. */
export function placeOf(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/u, "").split("?");
  const parts = path.split("/").filter((part) => part !== "");
  const [area, agent, view, ...rest] = parts.map(decoded);
  if (area === "health" || area === "evals") return { view: area };
  const known = agentViews.find((each) => each === view);
  if (area !== "agents" || agent === undefined || known === undefined) return overview;
  return { view: known, agent, path: rest, query: Object.fromEntries(new URLSearchParams(query)) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
