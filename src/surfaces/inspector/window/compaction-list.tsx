// The compactions of a window: how much each one freed, its summary, and its undo.
import type { CallResult } from "../../client/api-types.ts";
import { Moment } from "../parts/moment.tsx";
import { countText, numberText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure, Shown } from "../parts/shown.tsx";
import { TrustMark } from "../parts/trust-mark.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useAction } from "../session/use-action.ts";
import { useLoaded } from "../session/use-loaded.ts";

interface CompactionListProps {
  readonly agent: string;
  readonly conversation: string;
  readonly onChange: () => void;
}

type Compaction = CallResult<"GET /agents/:agent/conversations/:conversation/compactions">[number];

export function CompactionList({ agent, conversation, onChange }: CompactionListProps) {
  const { client } = useSession();
  const action = useAction();
  const params = { agent, conversation };
  const compactions = useLoaded(
    (signal) =>
      client.call("GET /agents/:agent/conversations/:conversation/compactions", {
        params,
        query: { limit: 100 },
        signal,
      }),
    [client, agent, conversation],
  );
  const act = (step: () => Promise<unknown>) => async () => {
    await action.run(async () => {
      await step();
      compactions.reload();
      onChange();
    });
  };
  const compact = act(() =>
    client.call("POST /agents/:agent/conversations/:conversation/compact", { params, body: {} }),
  );
  const undo = act(() =>
    client.call("POST /agents/:agent/conversations/:conversation/undo-compaction", { params, body: {} }),
  );
  return (
    <section aria-label="Compactions">
      <div class="title-row">
        <h2>Compactions</h2>
        <button type="button" disabled={action.isRunning} onClick={compact}>
          Summarize older messages now
        </button>
      </div>
      {action.error === undefined ? null : <Failure error={action.error} />}
      <Shown loaded={compactions}>
        {(found) => {
          const last = found.find(({ undoneAt }) => undoneAt === null);
          if (found.length === 0) return <p class="note">The window was never compacted.</p>;
          return (
            <ol class="timeline" aria-label="Compactions">
              {found.map((compaction) => (
                <CompactionItem
                  key={compaction.id}
                  compaction={compaction}
                  undo={compaction === last ? undo : null}
                  isRunning={action.isRunning}
                />
              ))}
            </ol>
          );
        }}
      </Shown>
    </section>
  );
}

interface CompactionItemProps {
  readonly compaction: Compaction;
  /** Null: only the last one can be undone. */
  readonly undo: (() => Promise<void>) | null;
  readonly isRunning: boolean;
}

function CompactionItem({ compaction, undo, isRunning }: CompactionItemProps) {
  const { at, strategy, tokensBefore, tokensAfter, fromPosition, throughPosition, undoneAt, summary, trust } =
    compaction;
  const largest = Math.max(1, tokensBefore);
  return (
    <li>
      <p>
        <Moment at={at} />: {countText(throughPosition - fromPosition + 1, "message")} by {strategy}{" "}
        <TrustMark trust={trust} />
        {undoneAt === null ? null : <span class="mark">undone</span>}
      </p>
      {[
        ["before", tokensBefore],
        ["after", tokensAfter],
      ].map(([name, tokens]) => (
        <div key={name} class="before-after">
          <span class="note">{name}</span>
          <span class="bar-frame">
            <span class="bar" style={{ width: `${(100 * Number(tokens)) / largest}%` }} />
          </span>
          <span class="figure">{numberText(Number(tokens))}</span>
        </div>
      ))}
      {summary === "" ? (
        <p class="note">Without a summary.</p>
      ) : (
        <details>
          <summary>Summary</summary>
          <PlainText text={summary} length={8000} />
        </details>
      )}
      {undo === null ? null : (
        <div class="actions">
          <button type="button" disabled={isRunning} onClick={undo}>
            Undo this compaction
          </button>
        </div>
      )}
    </li>
  );
}
