// Chooses the theme by the background that the terminal reports.
// Invariant: the theme is chosen only once, and only if none is configured. A late answer of the terminal is ignored, because
// it must not replace a theme that the user has chosen meanwhile.
import type { Clock } from "../../base/clock.ts";
import type { ChatStore } from "./chat-store.ts";
import type { ThemeRequest } from "./rows/theme.ts";

const answerMs = 2_000;

export function createBackgroundTheme(
  { color, theme = "auto" }: Pick<ThemeRequest, "color" | "theme">,
  { dispatch }: Pick<ChatStore, "dispatch">,
  clock: Pick<Clock, "now">,
) {
  let canAsk = color && theme === "auto";
  let heedsUntil = Number.NEGATIVE_INFINITY;
  return {
    /** Whether to ask the terminal now; true at most once. */
    shouldAskBackground(): boolean {
      if (!canAsk) return false;
      canAsk = false;
      heedsUntil = clock.now().getTime() + answerMs;
      return true;
    },
    /** Applies the theme for this background to everything drawn afterwards. */
    showBackground(background: "light" | "dark"): void {
      if (clock.now().getTime() <= heedsUntil) dispatch({ type: "set", change: { theme: background } });
      heedsUntil = Number.NEGATIVE_INFINITY;
    },
  };
}
