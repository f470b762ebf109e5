// Stores messages between agents, and finds the state of those that have not ended.
// Invariant: a user's messages are stored one after the other, so that two concurrent calls cannot together close a cycle of
// agents that wait for each other, or exceed the limit of a chain. After a forgetting has revoked the lease of a turn, the turn
// sends nothing. A message is delivered if and only if a turn has taken it as input.
import { sql } from "drizzle-orm";
import { RequestError } from "../../base/errors.ts";
import type { Trust } from "../../base/message/message.ts";
import type { UserContext } from "../connection/database.ts";
import type { Transaction } from "../connection/transaction.ts";
import { leaseLost } from "../conversations/conversation-faults.ts";
import { lockUser, recordColumns } from "../own-rows.ts";
import {
  type AgentMessageDraft,
  type AgentMessageRecord,
  type AgentMessageStore,
  maxChain,
  maxHops,
  type MessageRefusal,
  type OpenAgentMessage,
  type SentAgentMessage,
} from "../port/agent-message-store.ts";
import { agentMessages } from "../schema.ts";
import { isHolderGone } from "./lease-store.ts";
import { isHeldHere } from "./turn-store.ts";

export function createAgentMessageStore({
  userId,
  transaction,
  repeatable,
  statement,
}: UserContext): AgentMessageStore {
  return {
    send: (draft) => transaction((tx) => send(tx, userId, draft)),
    list: (agentId, { limit, chainId = null }) =>
      statement<AgentMessageRecord>(listMessages, [userId, agentId, chainId, limit]),
    async open() {
      await statement(recordDelivered, [userId]);
      const rows = await statement<OpenAgentMessage & { readonly holder: string | null }>(openMessages, [userId]);
      return rows.map(({ holder, ...message }) =>
        message.turn === "running" && holder !== null && isHolderGone(holder) ? { ...message, turn: "lost" } : message,
      );
    },
    queued: (agentId, conversationId) =>
      transaction(async (tx) => {
        await tx.run(placeMessages, [userId, agentId, conversationId]);
        return tx.run<AgentMessageRecord>(queuedMessages, [userId, agentId, conversationId]);
      }),
    answerWithTurn: ({ id }, answerId) =>
      repeatable(async (tx) => {
        await lockUser(tx, userId);
        return (await tx.run(answerWithTurn, [userId, id, answerId])).length > 0;
      }),
    end: async (id, outcome, isReported = true) =>
      void (await statement(endMessage, [userId, id, outcome, isReported])),
  };
}

/** The chain, hop and receiver of a new message, derived from the message that it answers, or that its turn answers. */
interface ChainPlace {
  readonly chainId: string;
  readonly hop: number;
  readonly path: readonly string[];
  readonly toAgentId: string;
  readonly toConversationId: string | null;
  readonly answers: Pick<AgentMessageRecord, "id" | "waits" | "from"> | null;
}

async function send(tx: Transaction, userId: string, draft: AgentMessageDraft): Promise<SentAgentMessage> {
  await lockUser(tx, userId);
  const { messageId, callId, conversationId } = draft.call;
  const called = [userId, messageId, callId, "agentId" in draft.to ? draft.to.agentId : null];
  const known = await tx.run<AgentMessageRecord>(messageOfCall, called);
  if (known[0] !== undefined) return { message: known[0] };
  const [source] = await tx.run<{ readonly turnId: string; readonly trust: Trust; readonly holder: string | null }>(
    sourceOfCall,
    [userId, messageId, conversationId],
  );
  if (source === undefined)
    throw new RequestError(
      "message_not_found",
      "Expected the id of a message in this conversation that contains the tool call, got another id.",
    );
  if (source.holder === null || !isHeldHere(source.holder)) throw leaseLost();
  const place = await placeOf(tx, userId, draft, source.turnId);
  if (place === null) return { refused: { reason: "token", names: [] } };
  const [spent] = await tx.run<{ readonly count: number }>(countChain, [userId, place.chainId]);
  const budget = maxChain - spent!.count - 1;
  const refused = await refusalOf(tx, userId, draft, { ...place, budget });
  const { to: _to, call: _call, ...kept } = draft;
  const { chainId, path, toAgentId } = place;
  const state = stateOf(place, refused);
  const row = { ...kept, chainId, path, toAgentId, ...state, budget: Math.max(budget, 0), trust: source.trust };
  const { userId: user, callMessageId, callId: call, toAgentId: to } = agentMessages;
  // After a crash, a call runs again: it then overwrites the record of its refused message.
  await tx.tables
    .insert(agentMessages)
    .values({ userId, ...row, conversationId, callMessageId: messageId, callId })
    .onConflictDoUpdate({ target: [user, callMessageId, call, to], set: row });
  if (refused !== null) return { refused };
  const [message] = await tx.run<AgentMessageRecord>(messageOfCall, called);
  return { message: message! };
}

/** Returns the columns that depend on whether a message is refused. A refused message has no receiving conversation. */
function stateOf({ answers, hop, toConversationId }: ChainPlace, refused: MessageRefusal | null) {
  const answered = answers?.id ?? null;
  if (refused === null)
    return { toConversationId, hop, answers: answered, status: "queued", outcome: null, endedAt: null } as const;
  const outcome = `refused-${refused.reason}`;
  const none = { toConversationId: null, answers: null };
  return { ...none, hop: Math.min(hop, maxHops), status: "ended", outcome, endedAt: sql`now()` } as const;
}

/** Returns the place of a new message in its chain; null if the message answers by a token that matches no message. */
async function placeOf(
  tx: Transaction,
  userId: string,
  { agentId, to, call }: AgentMessageDraft,
  turnId: string,
): Promise<ChainPlace | null> {
  if ("token" in to) {
    const [answers] = await tx.run<AgentMessageRecord>(messageOfToken, [userId, call.conversationId, to.token]);
    if (answers === undefined) return null;
    const { chainId, hop, path } = answers;
    const place = { toAgentId: answers.agentId, toConversationId: answers.conversationId };
    return { chainId, hop: hop + 1, path: [...new Set([...path, agentId])], ...place, answers };
  }
  const answered = await tx.run<AgentMessageRecord>(answeredByTurn, [userId, turnId, call.conversationId]);
  const path = [...new Set([...answered.flatMap((message) => message.path), agentId])];
  const { chainId, hop } = answered[0] ?? { chainId: turnId, hop: 0 };
  return { chainId, hop: hop + 1, path, toAgentId: to.agentId, toConversationId: null, answers: null };
}

/** Returns why a message must not be sent; null if it may. `budget`: further messages that the chain may get after it. */
async function refusalOf(
  tx: Transaction,
  userId: string,
  { agentId, waits }: AgentMessageDraft,
  { answers, hop, path, toAgentId, budget }: ChainPlace & { readonly budget: number },
): Promise<MessageRefusal | null> {
  if (answers !== null) {
    if ((await tx.run(answerOf, [userId, answers.id])).length > 0) return { reason: "answered", names: [answers.from] };
  } else {
    const names = () => namesOf(tx, userId, [agentId, toAgentId]);
    if (toAgentId === agentId) return { reason: "self", names: await names() };
    const cycle = waits ? await cycleOf(tx, userId, { from: agentId, to: toAgentId }) : null;
    if (cycle !== null) return { reason: "cycle", names: cycle };
    if (path.includes(toAgentId)) return { reason: "chain", names: await names() };
  }
  if (budget < 0 && answers?.waits !== true) return { reason: "budget", names: [] };
  return hop > maxHops + (answers === null ? 0 : 1) ? { reason: "hops", names: [] } : null;
}

/** Returns the names of `from`, `to` and the agents between them if `to` waits, even indirectly, for `from`; otherwise null. */
async function cycleOf(
  tx: Transaction,
  userId: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly string[] | null> {
  const waits = await tx.run<Pick<AgentMessageRecord, "agentId" | "toAgentId">>(waitingAgents, [userId]);
  // For each agent that `to` waits for, directly or through other agents: the waiting agents from `to` to that agent.
  const ways = new Map([[to, [to]]]);
  for (const [agent, way] of ways) {
    for (const { agentId, toAgentId } of waits)
      if (agentId === agent && !ways.has(toAgentId)) ways.set(toAgentId, [...way, toAgentId]);
  }
  const way = ways.get(from);
  return way === undefined ? null : namesOf(tx, userId, [from, ...way]);
}

async function namesOf(tx: Transaction, userId: string, ids: readonly string[]): Promise<readonly string[]> {
  const rows = await tx.run<{ readonly name: string }>(agentNames, [userId, ids]);
  return rows.map(({ name }) => name);
}

/** SQL: the name by which user $1 knows an agent; its id if the user has no grant for it. */
const nameOf = (agent: string): string => `coalesce((
  select case when g.owner_id = $1 then '' else coalesce(g.owner_id || '/', '') end || coalesce(a.name, g.agent_name)
  from grants g left join agents a on a.user_id = g.owner_id and a.id = g.agent_id
  where g.user_id = $1 and g.agent_id = ${agent}), ${agent}::text)`;

const columns = `${recordColumns(agentMessages, "m", "callMessageId callId")}, ${nameOf("m.agent_id")} as "from", ${nameOf("m.to_agent_id")} as "to"`;

/** Returns the names of agents, in the order of the given ids. $1 user, $2 ids. */
const agentNames = `
select ${nameOf("x.id::uuid")} as name from jsonb_array_elements_text($2::text::jsonb) with ordinality as x (id, at) order by x.at`;

/** SQL: whether the message `m` was refused. The row of a refused message is only a record. */
const isRefused = "coalesce(m.outcome, '') like 'refused-%'";

/** Returns the message that a tool call sent. $1 user, $2 the call's message, $3 call, $4 receiving agent or null. */
const messageOfCall = `
select ${columns} from agent_messages m
where m.user_id = $1 and m.call_message_id = $2::uuid and m.call_id = $3 and ($4::uuid is null or m.to_agent_id = $4::uuid)
  and not ${isRefused}`;

/** Reads the message that contains a call, and the holder of the conversation's lease. $1 user, $2 message, $3 conversation. */
const sourceOfCall = `
select m.turn_id as "turnId", m.trust, v.lease_holder as holder
from messages m join conversations v on v.user_id = m.user_id and v.id = m.conversation_id
where m.user_id = $1 and m.id = $2::uuid and m.conversation_id = $3::uuid`;

/** Returns the number of messages that were sent in a chain. $1 user, $2 chain. */
const countChain = `
select count(*)::int as count from agent_messages m where m.user_id = $1 and m.chain_id = $2::uuid and not ${isRefused}`;

/** Finds the newest message to a conversation by the end of the message's id. $1 user, $2 conversation, $3 token. */
const messageOfToken = `
select ${columns} from agent_messages m
where m.user_id = $1 and m.to_conversation_id = $2::uuid and length($3) >= 8 and right(m.id::text, length($3)) = $3
order by m.id desc limit 1`;

/** Returns a row if the message has an answer. $1 user, $2 message. */
const answerOf = "select 1 from agent_messages where user_id = $1 and answers = $2::uuid";

/** SQL: joins the agent message `m` to the input that it became, if a turn has taken that input. */
const takenInput = `inputs i
  join messages x on x.user_id = i.user_id and x.id = i.message_id
where i.user_id = $1 and i.conversation_id = m.to_conversation_id and i.idempotency_key = 'agent-message ' || m.id::text
  and i.status = 'taken'`;

/** Returns the messages that a turn answers, the one with the most hops first. $1 user, $2 turn, $3 conversation. */
const answeredByTurn = `
select ${columns} from agent_messages m
where m.user_id = $1 and m.to_conversation_id = $3::uuid
  and $2::uuid = (select x.turn_id from ${takenInput})
order by m.hop desc, m.id`;

/** Returns which agents wait for an answer, and from which agents. $1 user. */
const waitingAgents = `
select m.agent_id as "agentId", m.to_agent_id as "toAgentId" from agent_messages m
where m.user_id = $1 and m.waits and m.status <> 'ended'`;

/** Returns the messages from and to an agent. $1 user, $2 agent, $3 chain or null, $4 limit. */
const listMessages = `
select ${columns} from agent_messages m
where m.user_id = $1 and (m.agent_id = $2::uuid or m.to_agent_id = $2::uuid) and ($3::uuid is null or m.chain_id = $3::uuid)
order by m.created_at desc, m.id desc limit $4::int`;

/** Marks as delivered the queued messages that turns have taken as input. $1 user. */
const recordDelivered = `
update agent_messages m set status = 'delivered', turn_id = x.turn_id
from ${takenInput} and m.user_id = $1 and m.status = 'queued'`;

/**
 * SQL: whether the last step of the conversation `v` has a call that awaits an approval, a result or a reply. A call whose
 * approval has timed out does not count: its turn can continue, or a new turn can begin. $1 user.
 */
const lastStep = `
  select exists (
    select from tool_calls o where o.user_id = $1 and o.message_id = x.id
      and o.status like 'awaiting-%' and (o.expires_at is null or o.expires_at > now())
  ) as waits
  from messages x
  where x.user_id = $1 and x.conversation_id = v.id and x.on_thread and x.role = 'assistant'
  order by x.position desc limit 1`;

/** Returns the messages that have not ended. $1 user. `holder`: the holder of the lease of a turn that runs. */
const openMessages = `
select ${columns}, m.call_message_id as "callMessageId", m.call_id as "callId", v.lease_holder as holder,
  case when c.status = 'ok' then 'answered'
    when call.on_thread and c.status in ('pending', 'awaiting-approval') then 'pending'
    when call.on_thread and c.status = 'awaiting-reply' then 'waiting'
    else 'superseded' end as call,
  (select jsonb_build_object('id', r.id, 'text', r.text, 'trust', r.trust)
    from agent_messages r where r.user_id = $1 and r.answers = m.id) as answer,
  case when m.turn_id is null then case when last_step.waits then 'blocked' end
    when t.id is null or leaf.turn_id is distinct from t.id then 'over'
    when last_step.waits then 'waiting'
    when t.stop_reason not like 'awaiting-%' then 'over'
    when v.lease_expires_at > now() then 'running'
    else 'lost' end as turn,
  t.stop_reason as "stopReason"
from agent_messages m
left join tool_calls c on c.user_id = $1 and c.message_id = m.call_message_id and c.call_id = m.call_id
left join messages call on call.user_id = $1 and call.id = m.call_message_id
left join turns t on t.user_id = $1 and t.id = m.turn_id
left join conversations v on v.user_id = $1 and v.id = m.to_conversation_id
left join messages leaf on leaf.user_id = $1 and leaf.id = v.leaf_id
left join turns last on last.user_id = $1 and last.id = leaf.turn_id
left join lateral (${lastStep}) last_step on last.stop_reason like 'awaiting-%' and v.is_open
where m.user_id = $1 and m.status <> 'ended'
order by m.created_at, m.id`;

/** Assigns a conversation to the agent's queued messages that have none. $1 user, $2 agent, $3 conversation. */
const placeMessages = `
update agent_messages set to_conversation_id = $3::uuid
where user_id = $1 and to_agent_id = $2::uuid and status = 'queued' and to_conversation_id is null`;

/** Returns queued messages that no turn has taken, except answers that a call awaits. $1 user, $2 agent, $3 conversation. */
const queuedMessages = `
select ${columns} from agent_messages m
where m.user_id = $1 and m.to_agent_id = $2::uuid and m.to_conversation_id = $3::uuid and m.status = 'queued'
  and not exists (select from agent_messages q where q.user_id = $1 and q.id = m.answers and q.waits and q.status <> 'ended')
  and not exists (select from ${takenInput})
order by m.created_at, m.id`;

/** Stores a turn's last text as an answer. $1 user, $2 message, $3 answer's id. Returns a row if there now is an answer. */
const answerWithTurn = `
insert into agent_messages (user_id, id, agent_id, conversation_id, to_agent_id, to_conversation_id, chain_id, hop, budget, path,
  answers, waits, text, trust, status)
select $1, $3::uuid, m.to_agent_id, m.to_conversation_id, m.agent_id, m.conversation_id, m.chain_id, m.hop + 1,
  greatest(m.budget - 1, 0), m.path || to_jsonb(m.to_agent_id::text), m.id, false, said.text, said.trust, 'queued'
from agent_messages m
cross join lateral (
  select x.text, x.trust from messages x
  where x.user_id = $1 and x.conversation_id = m.to_conversation_id and x.turn_id = m.turn_id and x.role = 'assistant'
    and x.text <> ''
  order by x.position desc limit 1
) said
where m.user_id = $1 and m.id = $2::uuid
on conflict (user_id, answers) where answers is not null do update set answers = excluded.answers
returning 1`;

/**
 * Records the outcome of a message. If it was answered while a call awaited the answer, records the same outcome for the
 * answer. $1 user, $2 message, $3 outcome, $4 whether the message ends.
 */
const endMessage = `
update agent_messages m set outcome = coalesce(m.outcome, $3),
  status = case when $4::boolean then 'ended' else m.status end, ended_at = case when $4::boolean then now() end
where m.user_id = $1 and m.status <> 'ended' and (m.id = $2::uuid or $3 = 'answered' and m.answers = (
  select q.id from agent_messages q where q.user_id = $1 and q.id = $2::uuid and q.waits
))`;
