// The keys of the page: `g` and a letter for the views, `j` and `k` for the items of a list, `?` for help.
// Invariant: a key means nothing while the user types, chooses in a list, or holds a modifier.
import { useRef } from "preact/hooks";
import { agentPlace, type AgentView, overview, type Place } from "./place.ts";
import { useKeyPress } from "./use-key-press.ts";
import { goTo } from "./use-place.ts";

/** The letter of each view, after `g`. */
export const viewKeys: Readonly<Record<string, AgentView>> = {
  m: "memory",
  w: "window",
  c: "conversations",
  s: "search",
  t: "costs",
  f: "sources",
  d: "schedules",
};

/** Milliseconds in which the letter must follow `g`. */
const sequenceMs = 1500;

export function useKeys(agent: string | null, openHelp: () => void): void {
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
