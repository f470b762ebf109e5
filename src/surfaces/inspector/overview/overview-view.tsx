// Shows the first page: what waits for the user, what was learned, and the agents by last use.
import { useState } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";
import { Meter } from "../parts/meter.tsx";
import { Moment } from "../parts/moment.tsx";
import { countText, numberText, shortNumber } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure, Shown } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { addressOf, agentPlace } from "../session/place.ts";
import { useEvery } from "../session/use-every.ts";
import { useLoaded, useCall } from "../session/use-loaded.ts";
import { type AgentSummary, type Counted, isLearnedCut, learnedSince, startOfDay, summarize } from "./agent-summary.ts";
import { type AgentHome, type HomeRecords, loadHome } from "./home-records.ts";
import { LearnedFeed } from "./learned-feed.tsx";
import { WaitingList } from "./waiting-list.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useAction } from "../session/use-action.ts";
import { goTo } from "../session/use-place.ts";

/** Number of agents on a page. Each takes at least six requests, and the number of a user's requests is limited. */
const pageSize = 20;

export function OverviewView() {
  const { client } = useSession();
  const [limit, setLimit] = useState(pageSize);
  const [days, setDays] = useState(1);
  const [isCreating, setCreating] = useState(false);
  const home = useLoaded((signal) => loadHome(client, limit, signal), [client, limit]);
  useEvery(home.reload);
  const since = startOfDay(new Date(), days);
  return (
    <>
      <div class="title-row">
        <h1>Home</h1>
        <button type="button" class="main" onClick={() => setCreating(true)}>
          <Icon name="add" /> New agent
        </button>
      </div>
      <Shown loaded={home}>
        {(found) => (
          <div class="home">
            <div>
              <WaitingList home={found} onChange={home.reload} />
              {found.agents.length === 0 ? null : (
                <LearnedFeed
                  changes={learnedSince(found.agents, since)}
                  isCut={found.hasMore || isLearnedCut(found.agents, since)}
                  days={days}
                  onDays={setDays}
                  onChange={home.reload}
                />
              )}
            </div>
            <AgentCards home={found} onMore={() => setLimit(limit + pageSize)} />
          </div>
        )}
      </Shown>
      {isCreating ? <CreateAgentDialog onClose={() => setCreating(false)} /> : null}
    </>
  );
}

interface AgentCardsProps {
  readonly home: HomeRecords;
  readonly onMore: () => void;
}

/** Shows the agents, most recently used first. */
function AgentCards({ home: { agents, hasMore }, onMore }: AgentCardsProps) {
  const since = startOfDay(new Date(), 1);
  const cards = agents.map((each) => ({
    ...each,
    summary: each.records === null ? null : summarize(each.records, since),
  }));
  const used = (summary: AgentSummary | null): number => Date.parse(summary?.lastUsedAt ?? "1970-01-01");
  return (
    <section aria-label="Agents">
      <h2>Agents</h2>
      {cards.length === 0 ? (
        <div class="empty">
          <p>There is no agent yet.</p>
          <p>
            Create one here with <strong>New agent</strong>, or start a chat in the terminal: <code>palimpsest</code>
          </p>
        </div>
      ) : (
        <ul class="cards" aria-label="Agents">
          {cards
            .toSorted((one, other) => used(other.summary) - used(one.summary))
            .map((card) => (
              <AgentCard key={card.agent.id} {...card} />
            ))}
        </ul>
      )}
      {hasMore ? (
        <button type="button" onClick={onMore}>
          Show more agents
        </button>
      ) : null}
    </section>
  );
}

interface AgentCardProps extends AgentHome {
  readonly summary: AgentSummary | null;
}

function AgentCard({ agent, summary, error }: AgentCardProps) {
  return (
    <li class="card">
      <h2>
        <a href={addressOf(agentPlace(agent.id, "conversations"))} data-item>
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
      <Failure error={error} />
      {summary === null ? null : <Summary agent={agent.id} summary={summary} />}
    </li>
  );
}

function Summary({ agent, summary }: { readonly agent: string; readonly summary: AgentSummary }) {
  const { lastUsedAt, conversations, changes, window, usage } = summary;
  return (
    <>
      {window === null ? null : <Meter label="Window" value={window.tokens} limit={window.limit} unit="tokens" />}
      <p class="figures">
        <span>{lastUsedAt === null ? "never used" : <Moment at={lastUsedAt} />}</span>
        <a href={addressOf(agentPlace(agent, "conversations"))}>{countedText(conversations, "conversation")}</a>
        <a href={addressOf(agentPlace(agent, "memory"))} title="Changes of memory since yesterday">
          {countedText(changes, "change")}
        </a>
        {usage.calls.count === 0 ? null : (
          <a
            href={addressOf(agentPlace(agent, "costs"))}
            title={`Tokens since yesterday: ${numberText(usage.inputTokens)} in, of which ${numberText(usage.cachedInputTokens)} cached`}
          >
            {shortNumber(usage.inputTokens)} tokens in, {shortNumber(usage.outputTokens)} out
            {usage.calls.isCut ? ` in the last ${usage.calls.count} calls` : ""}
          </a>
        )}
      </p>
    </>
  );
}

function countedText({ count, isCut }: Counted, name: string): string {
  return isCut ? `${numberText(count)} or more ${name}s` : countText(count, name);
}

const noAgent = { name: "", model: "", persona: "", human: "", description: "" };

/** Creates an agent, and opens its conversations. */
function CreateAgentDialog({ onClose }: { readonly onClose: () => void }) {
  const { client } = useSession();
  const [agent, setAgent] = useState(noAgent);
  const action = useAction();
  const models = useCall("GET /models");
  const names = models.value?.models.map(({ name }) => name) ?? [];
  const field = (name: keyof typeof noAgent) => ({
    value: agent[name],
    onChange: (value: string) => setAgent({ ...agent, [name]: value }),
  });
  const create = () =>
    action.run(async () => {
      const given = Object.entries(agent).filter(([, value]) => value.trim() !== "");
      const body = { ...Object.fromEntries(given), name: agent.name.trim() };
      const { id } = await client.call("POST /agents", { body });
      onClose();
      goTo(agentPlace(id, "conversations"));
    });
  const button = (
    <button type="button" class="main" disabled={action.isRunning || agent.name.trim() === ""} onClick={create}>
      Create
    </button>
  );
  return (
    <Dialog title="New agent" onClose={onClose} actions={button} closeLabel="Cancel">
      <Failure error={action.error} />
      <div class="fields">
        <TextField label="Name" {...field("name")} />
        <TextField label="Model" {...field("model")} choices={names} placeholder={names[0] ?? "the server's model"} />
        <TextField
          label="Who it is"
          {...field("persona")}
          rows={3}
          placeholder="the persona that ships with the program"
        />
        <TextField
          label="Who you are"
          {...field("human")}
          rows={2}
          placeholder="nothing yet: it learns from what you say"
        />
        <TextField label="Description" {...field("description")} placeholder="for people; the agent does not see it" />
      </div>
    </Dialog>
  );
}
