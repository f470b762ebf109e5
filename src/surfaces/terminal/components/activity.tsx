// What the agent does: `⠋ replying… 12 s · 340 tokens · Esc`.
// Invariant: the numbers change only when the spinner turns: with each frame, they would take more bytes than the reply.
import { Fragment, useRef } from "react";
import { spinnerMs } from "../frames.ts";
import type { Tone } from "../rows/row.ts";
import { screenText } from "../rows/wrap.ts";
import { progressTexts, type WorkProgress } from "../view/work-progress.ts";
import { OneRow, Toned } from "./toned.tsx";

const spinner = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

export interface ActivityProps {
  readonly activity: string;
  readonly progress: WorkProgress | null;
  readonly now: Date;
}

export function Activity({ activity, progress, now }: ActivityProps) {
  const turns = Math.floor(now.getTime() / spinnerMs);
  const shown = useRef({ turns, progress, now });
  if (turns !== shown.current.turns || progress === null || shown.current.progress === null)
    shown.current = { turns, progress, now };
  return (
    <OneRow>
      <Toned tone="accent">{spinner[turns % spinner.length]} </Toned>
      <Toned tone="faint">{screenText(activity)}… </Toned>
      {numbersOf(shown.current).map(([text, tone]) => (
        <Fragment key={text}>
          <Toned tone={tone}>{text}</Toned>
          <Toned tone="faint"> · </Toned>
        </Fragment>
      ))}
      <Toned tone="faint">Esc</Toned>
    </OneRow>
  );
}

function numbersOf({ progress, now }: Pick<ActivityProps, "progress" | "now">): readonly (readonly [string, Tone])[] {
  if (progress === null) return [];
  const { time, tokens, stall } = progressTexts(progress, now.getTime());
  const numbers = [time, tokens].filter((text) => text !== null).map((text) => [text, "faint"] as const);
  return stall === null ? numbers : [...numbers, [stall, "warning"]];
}
