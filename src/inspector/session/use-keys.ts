// The keys of the page: `g` and a letter for the views, `j` and `k` for the items of a list, `?` for help.
// Invariant: a key means nothing while the user types, chooses in a list, or holds a modifier.
import { useEffect, useRef } from "preact/hooks";
import { agentPlace, type AgentView, overview, type Place } from "./place.ts";
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
  // One listener for all renders: a sequence must not be lost between two.
  const current = useRef({ agent, openHelp });
  current.current = { agent, openHelp };
  useEffect(() => {
    let startedAt = -sequenceMs;
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const isSecond = event.timeStamp - startedAt < sequenceMs;
      startedAt = -sequenceMs;
      if (isSecond) {
        const place = placeOfKey(event.key, current.current.agent);
        if (place !== null) goTo(place);
        return;
      }
      if (event.key === "g") startedAt = event.timeStamp;
      else if (event.key === "?") current.current.openHelp();
      else if (event.key === "j") moveFocus(1);
      else if (event.key === "k") moveFocus(-1);
      else if (event.key === "/") focusSearch(event);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

function placeOfKey(key: string, agent: string | null): Place | null {
  if (key === "o") return overview;
  if (key === "h") return { view: "health" };
  const view = viewKeys[key];
  return view === undefined || agent === null ? null : agentPlace(agent, view);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.matches("input, textarea, select, [contenteditable]") || target.closest("dialog") !== null;
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
