// Shows a stored text on the page.
// Invariant: the text has no markup, link or hidden character on the page; a huge text is shown piece by piece.
import { useState } from "preact/hooks";
import { countText } from "./number-text.ts";
import { beginningOf, visibleText } from "./visible-text.ts";

interface PlainTextProps {
  readonly text: string;
  /** Maximum UTF-16 units that are shown at first. Default 20,000. */
  readonly length?: number;
  /** Whether the text is shown within a line, with spaces instead of line breaks. */
  readonly isInline?: boolean;
}

export function PlainText({ text, length = 20_000, isInline = false }: PlainTextProps) {
  const [more, setMore] = useState(1);
  const shown = beginningOf(text, length * more);
  const isCut = shown.length < text.length;
  if (isInline) {
    return (
      <bdi class="inline-text">
        {visibleText(shown)}
        {isCut ? "…" : ""}
      </bdi>
    );
  }
  return (
    <>
      <div class="plain-text" dir="auto">
        {visibleText(shown)}
        {isCut ? "…" : ""}
      </div>
      {isCut ? (
        <button type="button" class="quiet" onClick={() => setMore(more * 4)}>
          Show more ({countText(text.length - shown.length, "character")} left)
        </button>
      ) : null}
    </>
  );
}
