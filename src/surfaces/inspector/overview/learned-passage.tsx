// A passage that was added to an archive, with the passages that it replaced, its cause and its undo.
import { useState } from "preact/hooks";
import { ConfirmedButton } from "../parts/confirmed-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure } from "../parts/shown.tsx";
import { TrustMark } from "../parts/trust-mark.tsx";
import { PassageCause } from "../passages/passage-cause.tsx";
import { deletePassage } from "../passages/passage-home.ts";
import { useSession } from "../session/inspector-session.ts";
import { addressOf, agentPlace } from "../session/place.ts";
import { useChange } from "../session/use-action.ts";
import type { LearnedPassage } from "./agent-summary.ts";

interface LearnedPassageRowProps {
  readonly change: LearnedPassage;
  readonly onChange: () => void;
}

export function LearnedPassageRow({ change: { agent, passage, replaced }, onChange }: LearnedPassageRowProps) {
  const { client } = useSession();
  const undo = useChange(onChange);
  const [isCauseOpen, setCauseOpen] = useState(false);
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
        <button type="button" class="quiet" onClick={() => setCauseOpen(true)}>
          <Icon name="question" /> Why
        </button>
        <ConfirmedButton
          icon="undo"
          label="Undo"
          question={replaced.length === 0 ? "Delete the passage?" : "Bring the old text back?"}
          isRunning={undo.isRunning}
          onConfirm={() => undo.act(() => deletePassage(client, { agent: agent.id }, id))}
        />
      </div>
      {isCauseOpen ? <PassageCause agent={agent.id} passage={passage} onClose={() => setCauseOpen(false)} /> : null}
    </li>
  );
}
