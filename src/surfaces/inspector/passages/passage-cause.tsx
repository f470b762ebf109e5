// Shows where a passage of the archive comes from: who wrote it, what was in the window, and the message that led to it.
import type { CallResult } from "../../client/api-types.ts";
import type { Client } from "../../client/create-client.ts";
import { ApiError } from "../../client/api-error.ts";
import { CauseInput, ExternalNote, PlaceLink } from "../memory/cause-dialog.tsx";
import { originTexts } from "../memory/revision-author.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Moment } from "../parts/moment.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Shown } from "../parts/shown.tsx";
import { TrustMark } from "../parts/trust-mark.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useLoaded } from "../session/use-loaded.ts";
import type { Passage } from "./passage-home.ts";

interface PassageCauseProps {
  readonly agent: string;
  readonly passage: Passage;
  readonly onClose: () => void;
}

export function PassageCause({ agent, passage, onClose }: PassageCauseProps) {
  const { client } = useSession();
  const { text, at, origin, trust, external = [], conversationId, messageId } = passage;
  const input = useLoaded((signal) => inputOf(client, messageId, signal), [client, messageId]);
  return (
    <Dialog title="Passage" onClose={onClose}>
      <p>
        <Moment at={at} /> by {originTexts[origin]} <TrustMark trust={trust} />
      </p>
      <ExternalNote external={external} />
      <blockquote>
        <PlainText text={text} length={2000} />
      </blockquote>
      <Shown loaded={input}>
        {(found) =>
          found === null ? (
            <p class="note">
              {conversationId === undefined
                ? "No message led to this passage: it was added outside of a turn."
                : "The message that led to this passage is not known."}
            </p>
          ) : (
            <CauseInput title="The message that led to this passage" input={found} />
          )
        }
      </Shown>
      <PlaceLink agent={agent} conversation={conversationId} message={input.value?.id ?? messageId} />
    </Dialog>
  );
}

type TurnMessage = CallResult<"GET /turns/:turn/messages">[number];

/** Resolves to the input of the turn in which a message was written; null if there is none, or it was deleted. */
async function inputOf(client: Client, message: string | undefined, signal: AbortSignal): Promise<TurnMessage | null> {
  if (message === undefined) return null;
  try {
    const { turnId } = await client.call("GET /messages/:message", { params: { message }, signal });
    const messages = await client.call("GET /turns/:turn/messages", { params: { turn: turnId }, signal });
    return messages.find(({ role }) => role === "user") ?? null;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
