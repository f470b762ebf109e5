// The turn that runs: its text as it arrives, its calls, its edits and its notes.
import type { TurnEnd } from "../../../agent/events.ts";
import type { TurnState } from "../../../agent/fold-turn.ts";
import { DiffView } from "../parts/diff-view.tsx";
import { Meter } from "../parts/meter.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { textsOf, type TurnProgress } from "./turn-progress.ts";

/** A turn that ended as most do needs no word. */
const usualEnds: ReadonlySet<string> = new Set(["end-turn", "awaiting-approval", "awaiting-result"]);

export function LiveRow({ progress, isRunning }: { readonly progress: TurnProgress; readonly isRunning: boolean }) {
  const { turn, notes } = progress;
  const { said, text, thought } = textsOf(turn);
  const { stopReason = "end-turn", error }: Partial<TurnEnd> = turn.end ?? {};
  const isUsualEnd = usualEnds.has(stopReason);
  if (!isRunning && notes.length === 0 && error === undefined && isUsualEnd) return null;
  return (
    <section class="message assistant live" aria-label="Running turn" aria-live="polite" aria-busy={isRunning}>
      {isRunning ? <WorkHead turn={turn} /> : null}
      <PlainText text={said} />
      <div class="note">
        <PlainText text={thought} length={2000} />
      </div>
      <PlainText text={text} />
      <CallsAndEdits turn={turn} />
      {notes.map((note, at) => (
        <p key={at} class="note">
          <PlainText text={note} length={500} isInline />
        </p>
      ))}
      {error === undefined ? null : (
        <div class="failure" role="alert">
          <PlainText text={error.message} length={2000} />
        </div>
      )}
      {isRunning || isUsualEnd ? null : <p class="note">The turn ended: {stopReason}</p>}
    </section>
  );
}

function WorkHead({ turn: { step, window } }: { readonly turn: TurnState }) {
  return (
    <div class="message-head">
      <strong>agent</strong> <span class="note">is working{step === 0 ? "" : `, step ${step}`}</span>
      {window === null ? null : <Meter label="Window" value={window.tokens} limit={window.limit} unit="tokens" />}
    </div>
  );
}

function CallsAndEdits({ turn: { calls, edits } }: { readonly turn: TurnState }) {
  return (
    <>
      {calls.map(({ callId, name, status, result }) => (
        <p key={callId}>
          Call of <PlainText text={name} length={80} isInline /> <span class="mark">{status}</span>
          {result === null ? null : <PlainText text={result} length={300} isInline />}
        </p>
      ))}
      {edits.map(({ label, revision, before, after }) => (
        <div key={`${label} ${revision}`}>
          <p class="note">
            Memory of <PlainText text={label} length={60} isInline />
          </p>
          <DiffView before={before} after={after} />
        </div>
      ))}
    </>
  );
}
