// The suggestions for the typed text, below the prompt; those around the selected one if there is little room.
import { Box } from "ink";
import { largest } from "../../../base/lists.ts";
import type { Candidate } from "../input/completion.ts";
import { screenText } from "../rows/wrap.ts";
import { widthOf } from "../screen/text-width.ts";
import { OneRow, Toned } from "./toned.tsx";

export interface SuggestionsProps {
  readonly candidates: readonly Pick<Candidate, "label" | "summary">[];
  readonly chosen: number | null;
  /** Maximum number of rows. */
  readonly max: number;
}

export function Suggestions({ candidates, chosen, max }: SuggestionsProps) {
  const count = candidates.length > max ? max - 1 : candidates.length;
  const first = Math.max(0, (chosen ?? 0) - count + 1);
  const shown = max === 0 ? [] : candidates.slice(first, first + count);
  const widest = largest(
    shown.map(({ label }) => Math.min(40, widthOf(label))),
    18,
  );
  const hidden = candidates.length - count;
  return (
    <Box flexDirection="column" flexShrink={0}>
      {shown.map(({ label, summary }, at) => {
        const isChosen = first + at === chosen;
        return (
          <OneRow key={at}>
            <Toned tone="accent">{isChosen ? "› " : "  "}</Toned>
            <Toned tone={isChosen ? "strong" : "plain"}>
              {screenText(label) + " ".repeat(Math.max(0, widest - widthOf(label)) + 1)}
            </Toned>
            <Toned tone="faint">{screenText(summary)}</Toned>
          </OneRow>
        );
      })}
      {max === 0 || hidden === 0 ? null : (
        <OneRow>
          <Toned tone="faint">{`  … ${hidden} more`}</Toned>
        </OneRow>
      )}
    </Box>
  );
}
