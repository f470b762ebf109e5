// What the agents have learned: the changes of core memory of all agents, newest first, each with its undo.
import { useState } from "preact/hooks";
import { CauseDialog } from "../memory/cause-dialog.tsx";
import { authorText, isForgetting } from "../memory/revision-author.ts";
import { UndoButtons } from "../memory/undo-buttons.tsx";
import { diffRows } from "../parts/align-lines.ts";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { countText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { TrustMark } from "../parts/trust-mark.tsx";
import { addressOf, agentPlace } from "../session/place.ts";
import type { Learned } from "./agent-summary.ts";

const periods: readonly (readonly [days: number, name: string])[] = [
  [1, "since yesterday"],
  [7, "in 7 days"],
  [30, "in 30 days"],
];

interface LearnedFeedProps {
  readonly changes: readonly Learned[];
  /** Number of days: changes since the start of the day this many days before today are shown. */
  readonly days: number;
  readonly onDays: (days: number) => void;
  readonly onChange: () => void;
}

const pageSize = 12;

export function LearnedFeed({ changes, days, onDays, onChange }: LearnedFeedProps) {
  const [shown, setShown] = useState(pageSize);
  return (
    <section aria-label="Learned">
      <div class="title-row">
        <h2>Learned</h2>
        <select
          aria-label="Period"
          value={String(days)}
          onChange={(event) => onDays(Number(event.currentTarget.value))}
        >
          {periods.map(([count, name]) => (
            <option key={count} value={String(count)}>
              {name}
            </option>
          ))}
        </select>
      </div>
      {changes.length === 0 ? (
        <p class="note">No change of memory {periods.find(([count]) => count === days)?.[1]}.</p>
      ) : (
        <ol class="rows" aria-label="Changes of memory">
          {changes.slice(0, shown).map((change) => (
            <LearnedRow
              key={`${change.revision.moduleId} ${change.revision.revision}`}
              change={change}
              onChange={onChange}
            />
          ))}
        </ol>
      )}
      {changes.length > shown ? (
        <button type="button" class="quiet" onClick={() => setShown(shown * 4)}>
          Show {countText(changes.length - shown, "more change")}
        </button>
      ) : null}
    </section>
  );
}

/** Maximum number of lines of a change that are shown. */
const maxLines = 6;

interface LearnedRowProps {
  readonly change: Learned;
  readonly onChange: () => void;
}

function LearnedRow({ change: { agent, revision, isUndone }, onChange }: LearnedRowProps) {
  const [isCauseOpen, setCauseOpen] = useState(false);
  const { label, revision: number, trust } = revision;
  const place = agentPlace(agent.id, "memory", [label, String(number)]);
  const isPlain = !isUndone && revision.undoes === null && !isForgetting(revision);
  return (
    <li class={isUndone ? "row undone" : "row"}>
      <Icon name={revision.undoes === null ? (isForgetting(revision) ? "forget" : "memory") : "undo"} />
      <div class="row-text">
        <ChangedLines before={revision.before} after={revision.after} />
        <p class="note">
          <a href={addressOf(place)} data-item>
            <PlainText text={label} length={60} isInline />
          </a>{" "}
          of <PlainText text={agent.name} length={60} isInline />, <Moment at={revision.at} />, by{" "}
          <PlainText text={authorText(revision)} length={100} isInline /> <TrustMark trust={trust} />
          {isUndone ? <span class="mark">undone</span> : null}
        </p>
      </div>
      {isPlain ? (
        <div class="row-actions">
          <button type="button" class="quiet" onClick={() => setCauseOpen(true)}>
            <Icon name="question" /> Why
          </button>
          <UndoButtons agent={agent.id} label={label} revision={number} onChange={onChange} />
        </div>
      ) : null}
      {isCauseOpen ? (
        <CauseDialog agent={agent.id} label={label} revision={number} onClose={() => setCauseOpen(false)} />
      ) : null}
    </li>
  );
}

/** Shows the lines that were removed and added, without unchanged lines. */
function ChangedLines({ before, after }: { readonly before: string; readonly after: string }) {
  const rows = diffRows(before, after).filter(({ sign, text }) => sign !== " " && text.trim() !== "");
  if (rows.length === 0) return <p>A text was forgotten.</p>;
  return (
    <p class="learned">
      {rows.slice(0, maxLines).map(({ sign, text }, at) => {
        const line = <PlainText text={text} length={300} isInline />;
        return <span key={at}>{[at === 0 ? "" : "\n", sign === "-" ? <del>{line}</del> : <ins>{line}</ins>]}</span>;
      })}
      {rows.length > maxLines ? `\nand ${countText(rows.length - maxLines, "more line")}` : ""}
    </p>
  );
}
