// Shows what the agents have learned: the changes of core memory and archives, newest first. Each change can be undone.
import { useState } from "preact/hooks";
import { CauseDialog } from "../memory/cause-dialog.tsx";
import { isForgetting } from "../memory/revision-author.ts";
import { UndoButtons } from "../memory/undo-buttons.tsx";
import { changedRows } from "../parts/align-lines.ts";
import { ConfirmedButton } from "../parts/confirmed-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { countText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Select } from "../parts/select.tsx";
import { Failure } from "../parts/shown.tsx";
import { TrustMark } from "../parts/trust-mark.tsx";
import { beginningOf, visibleText } from "../parts/visible-text.ts";
import { WhyButton } from "../parts/why-button.tsx";
import { PassageCause } from "../passages/passage-cause.tsx";
import { deletePassage } from "../passages/passage-home.ts";
import { useSession } from "../session/inspector-session.ts";
import { addressOf, agentPlace } from "../session/place.ts";
import { useChange } from "../session/use-action.ts";
import {
  type Learned,
  type LearnedGroup,
  learnedGroups,
  type LearnedPassage,
  type LearnedRevision,
} from "./agent-summary.ts";

const periods: readonly (readonly [days: string, name: string])[] = [
  ["1", "since yesterday"],
  ["7", "in 7 days"],
  ["30", "in 30 days"],
];

interface LearnedFeedProps {
  readonly changes: readonly Learned[];
  /** Whether there may be more changes than `changes` contains. */
  readonly isCut: boolean;
  /** The shown changes begin at the start of the day this many days before today. */
  readonly days: number;
  readonly onDays: (days: number) => void;
  readonly onChange: () => void;
}

const pageSize = 12;

export function LearnedFeed({ changes, isCut, days, onDays, onChange }: LearnedFeedProps) {
  const [shown, setShown] = useState(pageSize);
  return (
    <section aria-label="Learned">
      <div class="title-row">
        <h2>Learned</h2>
        <Select
          aria-label="Period"
          value={String(days)}
          choices={periods}
          onChoose={(count) => onDays(Number(count))}
        />
      </div>
      {changes.length === 0 ? (
        <p class="note">No change of memory {periods.find(([count]) => count === String(days))?.[1]}.</p>
      ) : (
        // The key is that of the group's oldest change, so the group keeps its open dialogs when newer changes join it.
        learnedGroups(changes.slice(0, shown)).map((group) => (
          <ChangeGroup key={keyOf(group.changes.at(-1))} group={group} onChange={onChange} />
        ))
      )}
      {changes.length > shown ? (
        <button type="button" class="quiet" onClick={() => setShown(shown * 4)}>
          Show {countText(changes.length - shown, "more change")}
        </button>
      ) : isCut ? (
        <p class="note">There may be more changes than are listed here.</p>
      ) : null}
    </section>
  );
}

function keyOf(change: Learned | undefined): string {
  if (change === undefined) return "";
  return "revision" in change ? `${change.revision.moduleId} ${change.revision.revision}` : change.passage.id;
}

interface ChangeGroupProps {
  readonly group: LearnedGroup;
  readonly onChange: () => void;
}

/** Shows consecutive changes of one agent and one author. */
function ChangeGroup({ group: { agent, author, changes }, onChange }: ChangeGroupProps) {
  const label = `Changes of memory of ${visibleText(agent.name)} by ${beginningOf(visibleText(author), 100)}`;
  return (
    <>
      <p class="note group-head">
        <PlainText text={agent.name} length={60} isInline />, by <PlainText text={author} length={100} isInline />
      </p>
      <ol class="rows" aria-label={label}>
        {changes.map((change) =>
          "revision" in change ? (
            <LearnedRow key={keyOf(change)} change={change} onChange={onChange} />
          ) : (
            <LearnedPassageRow key={keyOf(change)} change={change} onChange={onChange} />
          ),
        )}
      </ol>
    </>
  );
}

/** Maximum number of lines of a change that are shown. */
const maxLines = 6;

interface LearnedRowProps {
  readonly change: LearnedRevision;
  readonly onChange: () => void;
}

function LearnedRow({ change: { agent, revision, isUndone }, onChange }: LearnedRowProps) {
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
          </a>
          , <Moment at={revision.at} /> <TrustMark trust={trust} />
          {isUndone ? <span class="mark">undone</span> : null}
        </p>
      </div>
      {isPlain ? (
        <div class="row-actions">
          <WhyButton>
            {(close) => <CauseDialog agent={agent.id} label={label} revision={number} onClose={close} />}
          </WhyButton>
          <UndoButtons agent={agent.id} label={label} revision={number} onChange={onChange} />
        </div>
      ) : null}
    </li>
  );
}

/** Shows the lines that were removed and added, without unchanged lines. */
function ChangedLines({ before, after }: { readonly before: string; readonly after: string }) {
  const rows = changedRows(before, after);
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

interface LearnedPassageRowProps {
  readonly change: LearnedPassage;
  readonly onChange: () => void;
}

/** Shows a passage that was added to an archive, with the passages that it replaced, its cause and its undo. */
function LearnedPassageRow({ change: { agent, passage, replaced }, onChange }: LearnedPassageRowProps) {
  const { client } = useSession();
  const undo = useChange(onChange);
  const { id, text, at, trust, replacedBy } = passage;
  return (
    <li class="row">
      <Icon name="archive" />
      <div class="row-text">
        <p class="learned">
          {replaced.map((each) => (
            <del key={each.id}>
              <PlainText text={each.text} length={300} isInline />
              {"\n"}
            </del>
          ))}
          <ins>
            <PlainText text={text} length={300} isInline />
          </ins>
        </p>
        <p class="note">
          <a href={addressOf(agentPlace(agent.id, "search"))} data-item>
            archive
          </a>
          , <Moment at={at} /> <TrustMark trust={trust} />
          {replacedBy === undefined ? null : <span class="mark">replaced</span>}
        </p>
        <Failure error={undo.error} />
      </div>
      <div class="row-actions">
        <WhyButton>{(close) => <PassageCause agent={agent.id} passage={passage} onClose={close} />}</WhyButton>
        <ConfirmedButton
          icon="undo"
          label="Undo"
          question={replaced.length === 0 ? "Delete the passage?" : "Bring the old text back?"}
          isRunning={undo.isRunning}
          onConfirm={() => undo.act(() => deletePassage(client, { agent: agent.id }, id))}
        />
      </div>
    </li>
  );
}
