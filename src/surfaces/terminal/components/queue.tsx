// The input that is sent after the turn, and how many wait after it.
import { screenText } from "../rows/wrap.ts";
import { OneRow, Toned } from "./toned.tsx";

export function Queue({ inputs: [next, ...others] }: { readonly inputs: readonly string[] }) {
  if (next === undefined) return null;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return (
    <OneRow>
      <Toned tone="faint">{`next: ${screenText(next).replaceAll("\n", " ")}${more}`}</Toned>
    </OneRow>
  );
}
