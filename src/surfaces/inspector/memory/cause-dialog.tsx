// Shows why a text is in memory: the revision, its tool call, and the message that led to the revision.
import type { CallResult } from "../../client/api-types.ts";
import { linesOf } from "../../../base/line-diff.ts";
import { externalText, type ExternalSource } from "../../../base/message/message.ts";
import { Dialog } from "../parts/dialog.tsx";
import { DiffView } from "../parts/diff-view.tsx";
import { Moment } from "../parts/moment.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Shown } from "../parts/shown.tsx";
import { TrustMark } from "../parts/trust-mark.tsx";
import { addressOf, agentPlace } from "../session/place.ts";
import { useCall } from "../session/use-loaded.ts";
import { formattedJson } from "../parts/formatted-json.ts";
import { authorText } from "./revision-author.ts";

interface CauseDialogProps {
  readonly agent: string;
  readonly label: string;
  readonly revision: number;
  readonly onClose: () => void;
  /** Opens the dialog that forgets the text added by the revision. */
  readonly onForget?: (text: string) => void;
}

type Cause = CallResult<"GET /agents/:agent/modules/:label/revisions/:revision/cause">;

export function CauseDialog({ agent, label, revision, onClose, onForget }: CauseDialogProps) {
  const cause = useCall("GET /agents/:agent/modules/:label/revisions/:revision/cause", {
    params: { agent, label, revision: String(revision) },
  });
  const added = addedText(cause.value);
  const forget =
    onForget === undefined || added === "" ? null : (
      <button type="button" class="danger" onClick={() => onForget(added)}>
        Forget this text…
      </button>
    );
  return (
    <Dialog title={`Revision ${revision}`} onClose={onClose} actions={forget}>
      <Shown loaded={cause}>{(known) => <CauseFacts agent={agent} cause={known} />}</Shown>
    </Dialog>
  );
}

function CauseFacts({ agent, cause: { revision, call, input } }: { readonly agent: string; readonly cause: Cause }) {
  const { conversationId } = revision;
  const message = input?.id ?? revision.messageId;
  return (
    <>
      <p>
        <Moment at={revision.at} /> by <PlainText text={authorText(revision)} length={200} isInline />{" "}
        <TrustMark trust={revision.trust} />
      </p>
      <ExternalNote external={revision.external} />
      <DiffView before={revision.before} after={revision.after} />
      {input === null ? null : <CauseInput title="The message that led to this revision" input={input} />}
      {call === null ? null : (
        <>
          <h3>
            The call of <PlainText text={call.name} length={100} isInline />
          </h3>
          <pre class="code">
            <PlainText text={formattedJson(call.arguments)} length={4000} />
          </pre>
        </>
      )}
      {input === null && call === null ? (
        <p class="note">No message led to this revision: it was made outside of a turn.</p>
      ) : null}
      <PlaceLink agent={agent} conversation={conversationId} message={message} />
    </>
  );
}

interface PlaceLinkProps {
  readonly agent: string;
  /** Null or undefined if the cause is in no conversation; then nothing is shown. */
  readonly conversation: string | null | undefined;
  readonly message: string | null | undefined;
}

/** Links to the message in its conversation. */
export function PlaceLink({ agent, conversation, message }: PlaceLinkProps) {
  if (typeof conversation !== "string") return null;
  const place = typeof message === "string" ? [conversation, message] : [conversation];
  return (
    <p>
      <a href={addressOf(agentPlace(agent, "conversations", place))}>Open the conversation there</a>
    </p>
  );
}

/** Names the texts from outside that were in the window. */
export function ExternalNote({ external }: { readonly external: readonly unknown[] }) {
  if (external.length === 0) return null;
  return (
    <p class="note">
      Text from outside was in the window:{" "}
      <PlainText text={externalText(external as readonly ExternalSource[])} length={500} isInline />
    </p>
  );
}

interface CauseInputProps {
  readonly title: string;
  readonly input: Pick<NonNullable<Cause["input"]>, "at" | "trust" | "text">;
}

export function CauseInput({ title, input: { at, trust, text } }: CauseInputProps) {
  return (
    <>
      <h3>{title}</h3>
      <p class="note">
        <Moment at={at} /> <TrustMark trust={trust} />
      </p>
      <blockquote>
        <PlainText text={text} length={2000} />
      </blockquote>
    </>
  );
}

/** Returns the longest line that the revision added; "" if there is none. */
function addedText(cause: Cause | undefined): string {
  if (cause === undefined) return "";
  const before = new Set(linesOf(cause.revision.before));
  const lines = linesOf(cause.revision.after).filter((line) => !before.has(line));
  return lines.sort((one, other) => other.length - one.length)[0] ?? "";
}
