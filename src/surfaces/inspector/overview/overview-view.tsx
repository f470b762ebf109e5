// The first page: the agents with their last use, and what the user has stored.
import { useState } from "preact/hooks";
import { countText, numberText, shortNumber } from "../parts/number-text.ts";
import { Moment } from "../parts/moment.tsx";
import { Meter } from "../parts/meter.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure, Shown } from "../parts/shown.tsx";
import { isKeyRefusal } from "../session/error-text.ts";
import { useSession } from "../session/inspector-session.ts";
import { addressOf, agentPlace } from "../session/place.ts";
import { useLoaded } from "../session/use-loaded.ts";
import {
  type AgentSummary,
  type Counted,
  recordLimits,
  type ShownAgent,
  startOfYesterday,
  summarize,
} from "./agent-summary.ts";

/** Agents on a page. Each takes three requests, and the number of a user's requests is limited. */
const pageSize = 20;

export function OverviewView() {
  const { client } = useSession();
  const [limit, setLimit] = useState(pageSize);
  const agents = useLoaded(
    (signal) => client.call("GET /agents", { query: { limit: limit + 1, order: "newest" }, signal }),
    [client, limit],
  );
  const usage = useLoaded((signal) => client.call("GET /usage", { signal }), [client]);
  const stored = usage.value ?? null;
  return (
    <>
      <h1>Agents</h1>
      {/* With a key of one agent, the totals of the user cannot be read. */}
      {usage.error === undefined || isKeyRefusal(usage.error) ? null : (
        <Failure error={usage.error} retry={usage.reload} />
      )}
      {stored === null ? null : (
        <p class="note">
          {countText(stored.conversations, "conversation")}, {countText(stored.messages, "message")},{" "}
          {countText(stored.passages, "passage")}, {countText(stored.sources, "source")}
        </p>
      )}
      <Shown loaded={agents}>
        {(found) =>
          found.length === 0 ? (
            <p>There is no agent yet. A chat in the terminal creates one.</p>
          ) : (
            <>
              <ul class="cards" aria-label="Agents">
                {found.slice(0, limit).map((agent) => (
                  <AgentCard key={agent.id} agent={agent} />
                ))}
              </ul>
              {found.length > limit ? (
                <button type="button" onClick={() => setLimit(limit + pageSize)}>
                  Show more agents
                </button>
              ) : null}
            </>
          )
        }
      </Shown>
    </>
  );
}

function AgentCard({ agent }: { readonly agent: ShownAgent }) {
  const { client } = useSession();
  const summary = useLoaded(
    async (signal) => {
      const params = { agent: agent.id };
      const [conversations, revisions, steps] = await Promise.all([
        client.call("GET /agents/:agent/conversations", {
          params,
          query: { limit: recordLimits.conversations },
          signal,
        }),
        client.call("GET /agents/:agent/revisions", { params, query: { limit: recordLimits.revisions }, signal }),
        client.call("GET /agents/:agent/steps", {
          params,
          query: { limit: recordLimits.steps, order: "newest" },
          signal,
        }),
      ]);
      return summarize({ conversations, revisions, steps }, startOfYesterday(new Date()));
    },
    [client, agent.id],
  );
  return (
    <li class="card">
      <h2>
        <a href={addressOf(agentPlace(agent.id, "memory"))} data-item>
          <PlainText text={agent.name} length={80} isInline />
        </a>
      </h2>
      <p class="note">
        <PlainText text={agent.model} length={80} isInline />
        {agent.description === null ? null : (
          <>
            {" · "}
            <PlainText text={agent.description} length={160} isInline />
          </>
        )}
      </p>
      <Shown loaded={summary}>{(known) => <Summary agent={agent.id} summary={known} />}</Shown>
    </li>
  );
}

function Summary({ agent, summary }: { readonly agent: string; readonly summary: AgentSummary }) {
  const { lastUsedAt, conversations, changes, window, usage } = summary;
  return (
    <dl class="facts">
      <dt>Last used</dt>
      <dd>{lastUsedAt === null ? "never" : <Moment at={lastUsedAt} />}</dd>
      <dt>Window</dt>
      <dd>
        {window === null ? (
          "no model call yet"
        ) : (
          <a href={addressOf(agentPlace(agent, "window"))}>
            <Meter label="Window" value={window.tokens} limit={window.limit} unit="tokens" />
          </a>
        )}
      </dd>
      <dt>Conversations</dt>
      <dd>
        <a href={addressOf(agentPlace(agent, "conversations"))}>{countedText(conversations)}</a>
      </dd>
      <dt>Memory changes since yesterday</dt>
      <dd>{countedText(changes)}</dd>
      <dt>Tokens since yesterday</dt>
      <dd>
        {usage.calls.count === 0 ? (
          "none"
        ) : (
          <span title={`${numberText(usage.inputTokens)} in, of which ${numberText(usage.cachedInputTokens)} cached`}>
            {shortNumber(usage.inputTokens)} in, {shortNumber(usage.outputTokens)} out
            {usage.calls.isCut ? ` in the last ${usage.calls.count} calls` : ""}
          </span>
        )}
      </dd>
    </dl>
  );
}

function countedText({ count, isCut }: Counted): string {
  return `${numberText(count)}${isCut ? " or more" : ""}`;
}
