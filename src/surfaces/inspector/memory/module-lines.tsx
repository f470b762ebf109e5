// The text of a module by line, each with the revision that wrote it.
import { PlainText } from "../parts/plain-text.tsx";
import type { ModuleLine } from "./line-origins.ts";

interface ModuleLinesProps {
  readonly lines: readonly ModuleLine[];
  readonly onCause: (revision: number) => void;
}

export function ModuleLines({ lines, onCause }: ModuleLinesProps) {
  if (lines.length === 0) return <p class="note">This module is empty.</p>;
  return (
    <ol class="lines" aria-label="Text by line">
      {lines.map(({ text, revision }, at) => (
        <li key={at}>
          {revision === null ? (
            <span class="line">
              <span class="origin note" title="There since the module was created, or older than the revisions below">
                –
              </span>
              <PlainText text={text} length={2000} />
            </span>
          ) : (
            <button
              type="button"
              class="line"
              data-item
              title={`Revision ${revision}: what wrote this line`}
              onClick={() => onCause(revision)}
            >
              <span class="origin">{revision}</span>
              <PlainText text={text} length={2000} isInline />
            </button>
          )}
        </li>
      ))}
    </ol>
  );
}
