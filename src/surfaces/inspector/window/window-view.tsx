// Draws the current window and the window of each model call to scale, and lists the compactions.
import { useState } from "preact/hooks";
import type { CallResult } from "../../client/api-types.ts";
import { Moment } from "../parts/moment.tsx";
import { countText, numberText, agoText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Select } from "../parts/select.tsx";
import { Failure, Shown } from "../parts/shown.tsx";
import { TrustMark } from "../parts/trust-mark.tsx";
import { useSession } from "../session/inspector-session.ts";
import { agentPlace, type AgentView } from "../session/place.ts";
import { useChange } from "../session/use-action.ts";
import { useKeyPress } from "../session/use-key-press.ts";
import { useCall, useLoaded } from "../session/use-loaded.ts";
import { goTo } from "../session/use-place.ts";
import { StepChart, StepDetail } from "./step-detail.tsx";
import type { WindowStep } from "./window-step.ts";
import type { ComponentChildren } from "preact";
import { OlderButton } from "../parts/list-link.tsx";
import { useConversations } from "../conversations/conversation-list.tsx";
import { conversationName } from "../conversations/conversation-name.ts";

interface WindowViewProps {
  readonly agent: string;
  /** The id of the chosen conversation, then the number of the chosen step or `now`; both can be absent. */
  readonly path: readonly string[];
}

export function WindowView({ agent, path: [conversation, step] }: WindowViewProps) {
  return (
    <>
      <h1>Window</h1>
      <ConversationChoice agent={agent} chosen={conversation} view="window">
        {(id) => <ConversationWindow key={id} agent={agent} conversation={id} step={step} />}
      </ConversationChoice>
    </>
  );
}

interface ConversationWindowProps {
  readonly agent: string;
  readonly conversation: string;
  /** The number of a step, as in the address, or `now` for the current window; if absent, the last step is shown. */
  readonly step: string | undefined;
}

/** Number of model calls that are drawn at first. */
const firstSteps = 60;

function ConversationWindow({ agent, conversation, step }: ConversationWindowProps) {
  const [limit, setLimit] = useState(firstSteps);
  const params = { agent, conversation };
  const steps = useSteps(params, limit);
  const now = useCall("GET /agents/:agent/conversations/:conversation/window", { params });
  const list = steps.value ?? [];
  const chosen = step === undefined ? list.at(-1) : list.find(({ ordinal }) => String(ordinal) === step);
  const choose = (next: WindowStep | undefined): void =>
    goTo(agentPlace(agent, "window", [conversation, next === undefined ? "now" : String(next.ordinal)]));
  const reload = (): void => {
    now.reload();
    steps.reload();
  };
  // The arrow keys treat the current window as the step after the last one.
  useKeyPress(({ key }) => {
    if (key === "ArrowLeft") choose(neighbour(list, chosen, -1));
    if (key === "ArrowRight" && chosen !== undefined) choose(neighbour(list, chosen, 1));
  });
  return (
    <>
      <Shown loaded={steps}>
        {(found) =>
          found.length === 0 ? null : (
            <>
              <StepChart
                steps={found}
                chosen={chosen?.id ?? null}
                onChoose={(id) => choose(found.find((each) => each.id === id))}
              />
              <StepButtons steps={found} chosen={chosen} onChoose={choose} />
              {found.length >= limit ? (
                <button type="button" class="quiet" onClick={() => setLimit(limit * 4)}>
                  Show older steps
                </button>
              ) : null}
            </>
          )
        }
      </Shown>
      <Shown loaded={now}>
        {(window) =>
          // Until the steps are loaded, it is unknown whether one of them is chosen.
          steps.value === undefined && steps.isLoading ? null : (
            <StepDetail agent={agent} conversation={conversation} step={chosen ?? null} now={window} />
          )
        }
      </Shown>
      <CompactionList agent={agent} conversation={conversation} onChange={reload} />
    </>
  );
}

/** Loads the last model calls of a conversation, at most `limit`, oldest first. */
function useSteps(params: { readonly agent: string; readonly conversation: string }, limit: number) {
  const { client } = useSession();
  return useLoaded(
    async (signal) => {
      const path = "GET /agents/:agent/conversations/:conversation/steps" as const;
      return (await client.call(path, { params, query: { limit }, signal })).toReversed();
    },
    [client, params.agent, params.conversation, limit],
  );
}

type Choose = (step: WindowStep | undefined) => void;

function neighbour(steps: readonly WindowStep[], chosen: WindowStep | undefined, by: -1 | 1): WindowStep | undefined {
  const at = chosen === undefined ? steps.length : steps.indexOf(chosen);
  return by === -1 ? steps[Math.max(0, at - 1)] : steps[at + 1];
}

interface StepButtonsProps {
  readonly steps: readonly WindowStep[];
  readonly chosen: WindowStep | undefined;
  readonly onChoose: Choose;
}

function StepButtons({ steps, chosen, onChoose }: StepButtonsProps) {
  return (
    <div class="actions" role="group" aria-label="Steps">
      <button type="button" onClick={() => onChoose(neighbour(steps, chosen, -1))} disabled={chosen === steps[0]}>
        ← Earlier
      </button>
      <Select
        aria-label="Step"
        value={chosen === undefined ? "" : String(chosen.ordinal)}
        choices={[...steps.map(({ ordinal }) => [String(ordinal), `Step ${ordinal}`] as const), ["", "Now"]]}
        onChoose={(value) => onChoose(steps.find(({ ordinal }) => String(ordinal) === value))}
      />
      <button type="button" onClick={() => onChoose(neighbour(steps, chosen, 1))} disabled={chosen === undefined}>
        Later →
      </button>
    </div>
  );
}

interface CompactionListProps {
  readonly agent: string;
  readonly conversation: string;
  readonly onChange: () => void;
}

type Compaction = CallResult<"GET /agents/:agent/conversations/:conversation/compactions">[number];

/** Lists the compactions of a window: the tokens before and after, the summary, and the undo of the last one. */
function CompactionList({ agent, conversation, onChange }: CompactionListProps) {
  const { client } = useSession();
  const params = { agent, conversation };
  const compactions = useCall("GET /agents/:agent/conversations/:conversation/compactions", {
    params,
    query: { limit: 100 },
  });
  const action = useChange(() => {
    compactions.reload();
    onChange();
  });
  const last = compactions.value?.find(({ undoneAt }) => undoneAt === null);
  const send = (verb: "compact" | "undo-compaction") =>
    action.act(() => client.call(`POST /agents/:agent/conversations/:conversation/${verb}`, { params, body: {} }));
  return (
    <section aria-label="Compactions">
      <div class="title-row">
        <h2>Compactions</h2>
        <button type="button" disabled={action.isRunning} onClick={() => send("compact")}>
          Summarize older messages now
        </button>
      </div>
      <Failure error={action.error} />
      <Shown loaded={compactions} empty="The window was never compacted.">
        {(found) => (
          <ol class="timeline" aria-label="Compactions">
            {found.map((compaction) => (
              <CompactionItem
                key={compaction.id}
                compaction={compaction}
                undo={compaction === last ? () => send("undo-compaction") : null}
                isRunning={action.isRunning}
              />
            ))}
          </ol>
        )}
      </Shown>
    </section>
  );
}

interface CompactionItemProps {
  readonly compaction: Compaction;
  /** Undoes the compaction; null if it cannot be undone, because only the last one can. */
  readonly undo: (() => void) | null;
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

interface ConversationChoiceProps {
  readonly agent: string;
  readonly chosen: string | undefined;
  readonly view: AgentView;
  readonly children: (id: string) => ComponentChildren;
}

/** Chooses the conversation of a view: the one in the address, or else the one used last. */
function ConversationChoice({ agent, chosen, view, children }: ConversationChoiceProps) {
  const { conversations, more } = useConversations(agent);
  return (
    <Shown loaded={conversations}>
      {(found) => {
        const id = chosen ?? found[0]?.id;
        if (id === undefined) return <p>There is no conversation yet.</p>;
        const listed = found.map(
          (each) => [each.id, `${conversationName(each)} (${agoText(each.updatedAt, Date.now())})`] as const,
        );
        return (
          <>
            <div class="actions">
              <Select
                aria-label="Conversation"
                class="wide"
                value={id}
                choices={found.some((each) => each.id === id) ? listed : [[id, id], ...listed]}
                onChoose={(next) => goTo(agentPlace(agent, view, [next]))}
              />
              <OlderButton onMore={more} />
            </div>
            {children(id)}
          </>
        );
      }}
    </Shown>
  );
}
