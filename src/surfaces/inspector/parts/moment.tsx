// Shows how long ago a time was, with the exact time as the tooltip.
import { agoText, momentText } from "./number-text.ts";

export function Moment({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={momentText(at)}>
      {agoText(at, Date.now())}
    </time>
  );
}
