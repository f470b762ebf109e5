// Shows one message of a thread: its author, text, calls with results, files and edits of memory. The frame of the message is
// a part of the frame of its turn.
import type { ComponentChildren } from "preact";
import type { FilePart } from "../../../base/message/file-part.ts";
import type { ContentPart } from "../../../base/message/message.ts";
import { sentMessageOf, writesToAgent } from "../exchanges/message-chain.ts";
import { diffRows } from "../parts/align-lines.ts";
import { DiffView } from "../parts/diff-view.tsx";
import { formattedJson } from "../parts/formatted-json.ts";
import { Icon } from "../parts/icon.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { Moment } from "../parts/moment.tsx";
import { countText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { TrustMark } from "../parts/trust-mark.tsx";
import { MessageFiles } from "./message-file.tsx";
import { addressOf, agentPlace } from "../session/place.ts";
import type { TurnPlace } from "./turn-place.ts";
import type { ThreadMessage } from "./use-thread.ts";

interface MessageRowProps extends MessageHeadProps {
  readonly conversation: string;
  readonly isChosen: boolean;
  /** What follows the content of the message; null for nothing. */
  readonly children: ComponentChildren;
}

export function MessageRow({ conversation, isChosen, children, ...head }: MessageRowProps) {
  const { agent, message } = head;
  const content = message.content as unknown as readonly ContentPart[];
  const place = { agent, conversation };
  const thoughts = content.flatMap((part) => (part.type === "thought" ? [part.text] : []));
  const files = content.flatMap((part) => (part.type === "file" ? [part] : []));
  return (
    <article
      class={`message calm ${message.role}${head.place.frame}${isChosen ? " chosen" : ""}`}
      tabIndex={-1}
      data-item
    >
      <MessageHead {...head} />
      {thoughts.map((thought, at) => (
        <details key={at} class="step">
          <summary class="note">Thought</summary>
          <PlainText text={thought} length={4000} />
        </details>
      ))}
      {message.role === "tool" ? <ToolResults content={content} {...place} /> : null}
      {message.role === "assistant" ? <Markdown text={message.text} /> : null}
      {message.role === "user" ? <PlainText text={message.text} length={6000} /> : null}
      <MessageFiles files={files} {...place} />
      {message.calls.map((call) => (
        <CallItem key={call.callId} call={call} turn={message.turnId} {...place} />
      ))}
      {message.edits.map(({ label, revision, before, after }) => (
        <details key={`${label} ${revision}`} class="step">
          <summary>
            <Icon name="memory" /> Memory of <PlainText text={label} length={60} isInline />:{" "}
            <PlainText text={addedText(before, after)} length={80} isInline />
          </summary>
          <DiffView before={before} after={after} />
          <p>
            <a href={addressOf(agentPlace(agent, "memory", [label, String(revision)]))}>Open the revision</a>
          </p>
        </details>
      ))}
      {children}
    </article>
  );
}

interface MessageHeadProps {
  readonly agent: string;
  readonly message: ThreadMessage;
  readonly place: TurnPlace;
  /** Number of other branches that begin after this message. */
  readonly branches: number;
  readonly onForget: (id: string) => void;
}

/** Shows the marks of the message. If `isNamed`, shows its author and time, which the turn's next messages do not repeat. */
function MessageHead({ agent, message, place: { isNamed }, branches, onForget }: MessageHeadProps) {
  const speaker = message["speaker"];
  const sent = sentMessageOf(message);
  return (
    <div class="message-head">
      {isNamed ? <strong>{names[message.role]}</strong> : null}
      {typeof speaker === "string" ? <PlainText text={speaker} length={60} isInline /> : null}
      {message.kind === "message" ? null : <span class="mark">{message.kind}</span>}
      {sent === null ? null : <ExchangeLink agent={agent} id={sent} />}
      <TrustMark trust={message.trust} />
      {message.status === "interrupted" ? <span class="mark bad">interrupted</span> : null}
      {isNamed ? (
        <span class="note" title={countText(message.tokens, "token")}>
          <Moment at={message.at} />
        </span>
      ) : null}
      {branches === 0 ? null : (
        <span class="mark">{countText(branches, "other branch", "other branches")} from here</span>
      )}
      <span class="row-actions">
        <button
          type="button"
          class="quiet"
          title="Forget this message"
          aria-label="Forget this message"
          onClick={() => onForget(message.id)}
        >
          <Icon name="forget" /> {isNamed ? "Forget" : null}
        </button>
      </span>
    </div>
  );
}

const names = { user: "you", assistant: "agent", tool: "tool" } as const;

interface ToolResultsProps {
  readonly agent: string;
  readonly conversation: string;
  readonly content: readonly ContentPart[];
}

function ToolResults({ content, ...place }: ToolResultsProps) {
  return (
    <>
      {content.map((part, at) =>
        part.type === "tool-result" ? (
          <details key={at} class="step">
            <summary>
              <Icon name="tools" /> Result of <PlainText text={part.name} length={80} isInline />{" "}
              <span class="mark">{part.status}</span>
            </summary>
            <PlainText text={part.text} length={4000} />
            <MessageFiles files={part.files ?? []} {...place} />
          </details>
        ) : null,
      )}
    </>
  );
}

interface CallItemProps extends Omit<ToolResultsProps, "content"> {
  readonly call: ThreadMessage["calls"][number];
  /** The id of the call's turn. */
  readonly turn: string;
}

function CallItem({ call, turn, ...place }: CallItemProps) {
  const { name, arguments: given, status, request, result } = call;
  return (
    <details class="step">
      <summary>
        <span class="call-line">
          <Icon name="tools" />
          <span class="off-screen">Call of </span>
          <PlainText text={name} length={80} isInline />
          <span class="note">
            <PlainText text={given} length={200} isInline />
          </span>
          <span class={status === "failed" ? "mark bad" : "mark"}>{status}</span>
          {request?.verdict === null || request === null ? null : (
            <span class="mark">
              <PlainText text={request.verdict} length={30} isInline />
            </span>
          )}
        </span>
      </summary>
      <div class="code">
        <PlainText text={formattedJson(given)} length={4000} />
      </div>
      {request?.reason === null || request === null ? null : (
        <p>
          Reason: <PlainText text={request.reason} length={500} isInline />
        </p>
      )}
      {result === null ? null : <PlainText text={result.text} length={4000} />}
      <MessageFiles files={(result?.["files"] ?? []) as unknown as readonly FilePart[]} {...place} />
      {writesToAgent(call) ? (
        <p>
          <ExchangeLink agent={place.agent} id={turn} />
        </p>
      ) : null}
    </details>
  );
}

/** Links to a chain of messages between agents. `id`: the id of a message or a turn in the chain. */
function ExchangeLink({ agent, id }: { readonly agent: string; readonly id: string }) {
  return <a href={addressOf(agentPlace(agent, "exchanges", [id]))}>Open the exchange</a>;
}

/** Returns the first line that an edit of memory added. */
function addedText(before: string, after: string): string {
  return diffRows(before, after).find(({ sign }) => sign === "+")?.text ?? "a line removed";
}
