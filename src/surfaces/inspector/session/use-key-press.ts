// Calls a function for each key that the user presses outside of fields and dialogs, without a modifier.
// Invariant: the function that was passed in the last render is called, and no key is lost between two renders.
import { useEffect, useRef } from "preact/hooks";

export function useKeyPress(press: (event: KeyboardEvent) => void): void {
  const current = useRef(press);
  current.current = press;
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      current.current(event);
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.matches("input, textarea, select, [contenteditable]") || target.closest("dialog") !== null;
}
