// Shows texts of an earlier request, read from records: the messages before its turn, the messages of the turn, and the
// summaries.
import type { ContentPart, Message } from "../../../base/message/message.ts";
import { countText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Shown } from "../parts/shown.tsx";
import type { Client } from "../../client/create-client.ts";
import { useSession } from "../session/inspector-session.ts";
import { useCall, useLoaded } from "../session/use-loaded.ts";
import { compactionsAt, lastTurns, messagesBeforeReply, messagesInWindow, startOf } from "./past-window.ts";
import type { Segment } from "./window-segments.ts";
import { reportOf, type WindowNow, type WindowStep } from "./window-step.ts";

export interface PastTextsProps {
  readonly agent: string;
  readonly conversation: string;
  readonly step: WindowStep;
}

/** Maximum number of messages before the turn that are read; `maxCompactions`: maximum number of compactions. */
const maxMessages = 500;
const maxCompactions = 200;

export function TurnTexts({ step }: PastTextsProps) {
  const messages = useCall("GET /turns/:turn/messages", { params: { turn: step.turnId } });
  return (
    <Shown loaded={messages}>
      {(found) => <MessageTexts messages={messagesBeforeReply(found, step.number) as unknown as readonly Message[]} />}
    </Shown>
  );
}

/** Resolves to the agent's current setting `recentTurns`, because its value at an earlier request is not stored. */
async function recentTurns(client: Client, agent: string, signal: AbortSignal): Promise<number> {
  const { settings } = await client.call("GET /agents/:agent", { params: { agent }, signal });
  return Number((settings as { readonly recentTurns?: number }).recentTurns ?? 4);
}

interface MessagesNowProps extends Omit<PastTextsProps, "step"> {
  readonly part: Segment["part"];
  readonly now: WindowNow;
}

/** Shows a part of the current window's messages: the summaries, the last turns, or the messages between them. */
export function MessagesNow({ agent, conversation, part, now }: MessagesNowProps) {
  const { client } = useSession();
  const messages = now.messages as unknown as readonly Message[];
  const loaded = useLoaded(
    async (signal) => {
      const path = "GET /agents/:agent/conversations/:conversation/messages" as const;
      const [count, thread] = await Promise.all([
        recentTurns(client, agent, signal),
        client.call(path, { params: { agent, conversation }, query: { limit: maxMessages }, signal }),
      ]);
      const summaries = reportOf(now).compacted.messages === 0 ? 0 : 2;
      const recent = startOf({ messages, summaries }, lastTurns(thread.messages, count));
      if (part === "recentTurns") return messages.slice(recent);
      return part === "summaries" ? messages.slice(0, summaries) : messages.slice(summaries, recent);
    },
    [client, agent, conversation, now],
  );
  return <Shown loaded={loaded}>{(found) => <MessageTexts messages={found} />}</Shown>;
}

interface EarlierTextsProps extends PastTextsProps {
  readonly part: "olderTurns" | "recentTurns";
}

export function EarlierTexts({ agent, conversation, step, part }: EarlierTextsProps) {
  const { client } = useSession();
  const { leftOut } = reportOf(step);
  const missing = leftOut.filter(({ part }) => part === "turns").reduce((sum, { count }) => sum + count, 0);
  const earlier = useLoaded(
    async (signal) => {
      const params = { agent, conversation };
      const [count, turn, compactions] = await Promise.all([
        recentTurns(client, agent, signal),
        client.call("GET /turns/:turn/messages", { params: { turn: step.turnId }, signal }),
        client.call("GET /agents/:agent/conversations/:conversation/compactions", {
          params,
          query: { limit: maxCompactions },
          signal,
        }),
      ]);
      const [first] = turn;
      if (first === undefined) return { messages: [], isCut: false };
      const query = { before: first.id, limit: maxMessages };
      const path = "GET /agents/:agent/conversations/:conversation/messages" as const;
      const { messages } = await client.call(path, { params, query, signal });
      const kept = messagesInWindow(messages, compactionsAt(compactions, step.at));
      const recent = lastTurns(kept, count);
      const found = part === "recentTurns" ? recent : kept.slice(0, kept.length - recent.length);
      return { messages: found, isCut: kept.length === maxMessages };
    },
    [client, agent, conversation, step.id],
  );
  return (
    <Shown loaded={earlier}>
      {({ messages, isCut }) => (
        <>
          <p class="note">
            The messages before this turn that no compaction had removed.
            {missing === 0 ? "" : ` The oldest ${countText(missing, "turn")} of them were left out of the request.`}
            {isCut ? ` Only the last ${maxMessages} are shown.` : ""}
          </p>
          <MessageTexts messages={messages as unknown as readonly Message[]} />
        </>
      )}
    </Shown>
  );
}

export function SummaryTexts({ agent, conversation, step }: PastTextsProps) {
  const { client } = useSession();
  const { summaries } = reportOf(step).compacted;
  const compactions = useLoaded(
    async (signal) => {
      const path = "GET /agents/:agent/conversations/:conversation/compactions" as const;
      const params = { agent, conversation };
      const found = await client.call(path, { params, query: { limit: maxCompactions }, signal });
      return compactionsAt(found, step.at)
        .filter(({ summary }) => summary !== "")
        .slice(-summaries);
    },
    [client, agent, conversation, step.id],
  );
  return (
    <Shown loaded={compactions}>
      {(found) => (
        <ol class="plain" aria-label="Summaries at this step">
          {found.map(({ id, summary }) => (
            <li key={id}>
              <PlainText text={summary} length={4000} />
            </li>
          ))}
        </ol>
      )}
    </Shown>
  );
}

/** Shows messages of a request as text, in the order of the request. */
function MessageTexts({ messages }: { readonly messages: readonly Message[] }) {
  return (
    <ol class="plain" aria-label="Messages of the request">
      {messages.map(({ role, content }, at) => (
        <li key={at}>
          <span class="mark">{role}</span>
          <PlainText text={contentText(content)} length={4000} />
        </li>
      ))}
    </ol>
  );
}

/** Returns the content of a message as one text, which contains every part, even a file. */
function contentText(content: readonly ContentPart[]): string {
  return content.map(partText).join("\n\n");
}

function partText(part: ContentPart): string {
  switch (part.type) {
    case "text":
    case "state":
      return part.text;
    case "thought":
      return `(thought) ${part.text}`;
    case "tool-call":
      return `${part.name} ${part.arguments}`;
    case "tool-result":
      return `${part.name}${part.status === "failed" ? " failed" : ""}: ${part.text}`;
    case "file":
      return `[file: ${part.name}, ${part.mediaType}]`;
  }
}
