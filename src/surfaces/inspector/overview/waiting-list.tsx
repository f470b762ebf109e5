// Lists what waits for the user: calls to approve, calls without a result, failed schedules, proposals that tidy memory, and
// offers of other users.
import type { ComponentChildren } from "preact";
import { ApprovalItem, decide, type Verdict } from "../conversations/approval-item.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { countText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { addressOf, agentPlace } from "../session/place.ts";
import { useChange } from "../session/use-action.ts";
import type { AgentRecords, ShownAgent } from "./agent-summary.ts";
import type { HomeRecords } from "./home-records.ts";

interface WaitingListProps {
  readonly home: HomeRecords;
  readonly onChange: () => void;
}

export function WaitingList({ home: { agents, hasMore, agentOffers, moduleOffers }, onChange }: WaitingListProps) {
  const calls = agents.flatMap(({ agent, records }) => (records?.approvals ?? []).map((call) => ({ agent, call })));
  const failed = agents.flatMap(({ agent, records }) =>
    (records?.lastRuns ?? []).filter(isFailed).map((run) => ({ agent, run })),
  );
  const proposals = agents.flatMap(({ agent, records }) => (records?.consolidations ?? []).flatMap(waitingOf(agent)));
  const count = calls.length + failed.length + proposals.length + agentOffers.length + moduleOffers.length;
  return (
    <section aria-label="Waiting for you">
      <h2>Waiting for you</h2>
      {count === 0 ? <p class="note">Nothing waits.</p> : null}
      {hasMore ? <p class="note">Agents that are not shown here may wait, too.</p> : null}
      <ul class={count === 0 ? "list" : "rows"} aria-label="What waits">
        {calls.map(({ agent, call }) => (
          <CallRow key={call.callId} agent={agent} call={call} onChange={onChange} />
        ))}
        {failed.map(({ agent, run }) => (
          <Row key={run.scheduleId} icon="schedules">
            <p>
              A schedule failed: <PlainText text={run.text} length={120} isInline />
            </p>
            <p class="note">
              <PlainText text={run.outcome ?? "no reason"} length={120} isInline />, <Moment at={run.dueAt} />,{" "}
              <a href={addressOf(agentPlace(agent.id, "schedules"))}>
                schedules of <PlainText text={agent.name} length={60} isInline />
              </a>
            </p>
          </Row>
        ))}
        {proposals.map((run) => (
          <ProposalRow key={run.id} {...run} />
        ))}
        {agentOffers.map(({ agentId, name, at }) => (
          <OfferRow key={agentId} kind="agent" id={agentId} name={name} at={at} onChange={onChange} />
        ))}
        {moduleOffers.map(({ moduleId, ownerId, label, at }) => (
          <OfferRow
            key={moduleId}
            kind="module"
            id={moduleId}
            name={`${label} of ${ownerId}`}
            at={at}
            onChange={onChange}
          />
        ))}
      </ul>
    </section>
  );
}

/** Whether a run of a schedule, or the turn of this run, failed. */
function isFailed({ status, outcome }: AgentRecords["lastRuns"][number]): boolean {
  return status === "failed" || outcome === "model-error" || outcome === "context-overflow";
}

interface RowProps {
  readonly icon: IconName;
  /** Buttons at the end of the row. Default: none. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

function Row({ icon, actions, children }: RowProps) {
  return (
    <li class="row urgent" tabIndex={-1} data-item>
      <Icon name={icon} />
      <div class="row-text">{children}</div>
      {actions === undefined ? null : <div class="row-actions">{actions}</div>}
    </li>
  );
}

interface Proposals {
  readonly id: string;
  readonly agent: ShownAgent;
  readonly operations: number;
  readonly at: string;
}

/** Returns a function that returns the proposed operations of a run as one item, or no item if none waits. */
function waitingOf(agent: ShownAgent) {
  return ({ id, operations, createdAt: at }: AgentRecords["consolidations"][number]): readonly Proposals[] => {
    const count = operations.filter(({ status }) => status === "proposed").length;
    return count === 0 ? [] : [{ id, agent, operations: count, at }];
  };
}

function ProposalRow({ agent, operations, at }: Proposals) {
  return (
    <Row icon="consolidations">
      <p>
        {countText(operations, "proposal")} to tidy the memory of <PlainText text={agent.name} length={60} isInline />
      </p>
      <p class="note">
        <Moment at={at} />, <a href={addressOf(agentPlace(agent.id, "consolidations"))}>review</a>
      </p>
    </Row>
  );
}

interface CallRowProps {
  readonly agent: ShownAgent;
  readonly call: AgentRecords["approvals"][number];
  readonly onChange: () => void;
}

function CallRow({ agent, call, onChange }: CallRowProps) {
  const { client } = useSession();
  const action = useChange(onChange);
  const { conversationId: conversation, callId, awaits } = call;
  const answer = (verdict: Verdict) =>
    action.act(async () => {
      // The events are read to their end, because the turn runs only while they are read.
      for await (const event of decide(client, { agent: agent.id, conversation, callId }, verdict)) void event;
    });
  const link = (
    <a href={addressOf(agentPlace(agent.id, "conversations", [conversation]))}>
      <PlainText text={agent.name} length={60} isInline />
    </a>
  );
  return (
    <Row icon="waiting">
      {awaits === "approval" ? (
        <ApprovalItem call={call} isRunning={action.isRunning} onDecide={answer} of={link} />
      ) : (
        <p>
          A call of <PlainText text={call.toolName} length={80} isInline /> by {link} waits for the program that offered
          this tool.
        </p>
      )}
      <Failure error={action.error} />
    </Row>
  );
}

interface OfferRowProps {
  readonly kind: "agent" | "module";
  readonly id: string;
  readonly name: string;
  readonly at: string;
  readonly onChange: () => void;
}

function OfferRow({ kind, id, name, at, onChange }: OfferRowProps) {
  const { client } = useSession();
  const action = useChange(onChange);
  const answer = (verb: "accept" | "decline") =>
    action.act(() =>
      kind === "agent"
        ? client.call(`POST /agent-offers/:agent/${verb}`, { params: { agent: id } })
        : client.call(`POST /module-offers/:module/${verb}`, { params: { module: id } }),
    );
  const buttons = (
    <>
      <button type="button" class="main" disabled={action.isRunning} onClick={() => answer("accept")}>
        Accept
      </button>
      <button type="button" disabled={action.isRunning} onClick={() => answer("decline")}>
        Decline
      </button>
    </>
  );
  return (
    <Row icon="offer" actions={buttons}>
      <p>
        {kind === "agent" ? "An agent" : "A module"} is offered to you: <PlainText text={name} length={120} isInline />
      </p>
      <p class="note">
        <Moment at={at} />
      </p>
      <Failure error={action.error} />
    </Row>
  );
}
