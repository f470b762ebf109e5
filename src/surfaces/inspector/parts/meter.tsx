// Shows the share of a limit that is used, as a bar and in words.
import { numberText, percentText } from "./number-text.ts";

interface MeterProps {
  readonly label: string;
  readonly value: number;
  readonly limit: number;
  readonly unit: string;
}

export function Meter({ label, value, limit, unit }: MeterProps) {
  const share = limit > 0 ? value / limit : 0;
  const text = `${numberText(value)} of ${numberText(limit)} ${unit}`;
  return (
    <span class="meter" title={text}>
      <svg
        viewBox="0 0 100 8"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: ${text}, ${percentText(share)}`}
      >
        <rect class="track" width="100" height="8" />
        <rect class={share > 0.9 ? "fill full" : "fill"} width={Math.min(100, share * 100)} height="8" />
      </svg>
      <span class="figure">{percentText(share)}</span>
    </span>
  );
}
