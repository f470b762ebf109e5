// A time as its distance from now, with the exact time as a title.
import { agoText, momentText } from "./number-text.ts";

export function Moment({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={momentText(at)}>
      {agoText(at, Date.now())}
    </time>
  );
}
