// Calls a function at an interval while the page is visible, and when it becomes visible again.
// Invariant: the function that was passed in the last render is called.
import { useEffect, useRef } from "preact/hooks";

/** Milliseconds between two calls. */
const intervalMs = 60_000;

export function useEvery(act: () => void): void {
  const current = useRef(act);
  current.current = act;
  useEffect(() => {
    const look = (): void => {
      if (!document.hidden) current.current();
    };
    const timer = setInterval(look, intervalMs);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
}
