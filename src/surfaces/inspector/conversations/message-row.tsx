// One message of a thread: who wrote it, its text, its calls with their results, its files and its edits of memory.
import type { FilePart } from "../../../base/message/file-part.ts";
import type { ContentPart } from "../../../base/message/message.ts";
import { DiffView } from "../parts/diff-view.tsx";
import { formattedJson } from "../parts/formatted-json.ts";
import { Moment } from "../parts/moment.tsx";
import { countText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { TrustMark } from "../parts/trust-mark.tsx";
import { MessageFiles } from "./message-file.tsx";
import { addressOf, agentPlace } from "../session/place.ts";
import type { ThreadMessage } from "./use-thread.ts";

interface MessageRowProps {
  readonly agent: string;
  readonly conversation: string;
  readonly message: ThreadMessage;
  readonly isChosen: boolean;
  /** Other branches that begin after this message. */
  readonly branches: number;
  readonly onForget: (id: string) => void;
}

export function MessageRow({ agent, conversation, message, isChosen, branches, onForget }: MessageRowProps) {
  const content = message.content as unknown as readonly ContentPart[];
  const place = { agent, conversation };
  const speaker = message["speaker"];
  const thoughts = content.flatMap((part) => (part.type === "thought" ? [part.text] : []));
  const files = content.flatMap((part) => (part.type === "file" ? [part] : []));
  return (
    <article class={`message ${message.role}${isChosen ? " chosen" : ""}`} tabIndex={-1} data-item>
      <div class="message-head">
        <strong>{message.role === "assistant" ? "agent" : message.role}</strong>
        {typeof speaker === "string" ? <PlainText text={speaker} length={60} isInline /> : null}
        {message.kind === "message" ? null : <span class="mark">{message.kind}</span>}
        <TrustMark trust={message.trust} />
        {message.status === "interrupted" ? <span class="mark">interrupted</span> : null}
        <span class="note">
          <Moment at={message.at} />, {countText(message.tokens, "token")}
        </span>
        {branches === 0 ? null : (
          <span class="mark">{countText(branches, "other branch", "other branches")} from here</span>
        )}
        <button type="button" class="quiet small" onClick={() => onForget(message.id)} aria-label="Forget this message">
          Forget
        </button>
      </div>
      {thoughts.map((thought, at) => (
        <details key={at}>
          <summary class="note">Thought</summary>
          <PlainText text={thought} length={4000} />
        </details>
      ))}
      {message.role === "tool" ? (
        <ToolResults content={content} {...place} />
      ) : (
        <PlainText text={message.text} length={6000} />
      )}
      <MessageFiles files={files} {...place} />
      {message.calls.map((call) => (
        <CallItem key={call.callId} call={call} {...place} />
      ))}
      {message.edits.map(({ label, revision, before, after }) => (
        <details key={`${label} ${revision}`}>
          <summary>
            Memory of <PlainText text={label} length={60} isInline />, revision {revision}
          </summary>
          <p>
            <a href={addressOf(agentPlace(agent, "memory", [label, String(revision)]))}>Open the revision</a>
          </p>
          <DiffView before={before} after={after} />
        </details>
      ))}
    </article>
  );
}

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
          <details key={at}>
            <summary>
              Result of <PlainText text={part.name} length={80} isInline /> <span class="mark">{part.status}</span>
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
}

function CallItem({ call, ...place }: CallItemProps) {
  const { name, arguments: given, status, request, result } = call;
  return (
    <details>
      <summary>
        Call of <PlainText text={name} length={80} isInline /> <span class="mark">{status}</span>
        {request?.verdict === null || request === null ? null : (
          <span class="mark">
            <PlainText text={request.verdict} length={30} isInline />
          </span>
        )}
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
    </details>
  );
}
