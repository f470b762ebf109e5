// One window to scale, as a row of segments that can be chosen.
import { numberText, percentText } from "../parts/number-text.ts";
import { type Segment, segmentNames } from "./window-segments.ts";

interface WindowBarProps {
  readonly segments: readonly Segment[];
  readonly chosen: Segment["part"] | null;
  readonly onChoose: (part: Segment["part"]) => void;
}

export function WindowBar({ segments, chosen, onChoose }: WindowBarProps) {
  return (
    <div class="window-bar" role="group" aria-label="The window to scale">
      {segments.map(({ part, tokens, share }) => (
        <button
          key={part}
          type="button"
          class={`segment part-${part}`}
          style={{ flexGrow: share * 1000 }}
          aria-pressed={part === chosen}
          aria-label={`${segmentNames[part]}: ${numberText(tokens)} tokens, ${percentText(share)}`}
          title={`${segmentNames[part]}: ${numberText(tokens)} tokens, ${percentText(share)}`}
          onClick={() => onChoose(part)}
        >
          {share > 0.08 ? segmentNames[part] : ""}
        </button>
      ))}
    </div>
  );
}
