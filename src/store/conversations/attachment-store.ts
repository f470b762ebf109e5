// Stores attachments, which are the files of messages, and records which object holds the content of each.
// Invariant: an attachment gets its message in the transaction that commits the message; before that it belongs to no message,
// and is dropped after a day unless a queued input names it.
import { RequestError } from "../../base/errors.ts";
import type { FilePart } from "../../base/message/file-part.ts";
import type {
  AttachmentObject,
  AttachmentStore,
  DueDeletion,
  NewAttachment,
  ReservedAttachment,
  StoredFile,
} from "../port/attachment-store.ts";
import type { StoredMessage } from "../port/records.ts";
import { filesOf } from "../../base/message/message.ts";
import { requireOpenConversation } from "./conversation-faults.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { UserContext } from "../connection/database.ts";
import { idsIn, isUuid } from "../stored-values.ts";

export function createAttachmentStore({ userId, transaction, repeatable }: UserContext): AttachmentStore {
  return {
    reserve: (conversationId, place, files) =>
      transaction((tx) => reserve(tx, userId, { conversationId, place, files })),
    markStored: (ids) => repeatable(async (tx) => void (await tx.run(markStored, [userId, ids]))),
    objectOf: (id) =>
      repeatable(async (tx) => {
        const [row] = await tx.run<AttachmentObject>(objectOf, [userId, id]);
        return row ?? null;
      }),
    filesOf: (ids) =>
      repeatable(async (tx) => {
        const rows = await tx.run<FileRow>(filesOfIds, [userId, ids.filter(isUuid)]);
        return rows.map(({ content, ...file }) => ({ ...file, part: partIn(content, file.id) }));
      }),
    discard: (ids) => repeatable(async (tx) => void (await tx.run(discard, [userId, ids]))),
    dueDeletions: (place) => repeatable((tx) => tx.run<DueDeletion>(dueDeletions, [userId, place])),
    deletionDone: ({ place, objectKey }) =>
      transaction(async (tx) => {
        const done = "delete from object_deletions where user_id = $1 and place = $2 and object_key = $3";
        await tx.run(done, [userId, place, objectKey]);
      }),
    count: () =>
      transaction(async (tx) => {
        const [row] = await tx.run<{ readonly missing: number; readonly due: number }>(countFaults, [userId]);
        return row!;
      }),
  };
}

interface FileRow extends Omit<StoredFile, "part"> {
  readonly content: StoredMessage["content"] | null;
}

function partIn(content: StoredMessage["content"] | null, id: string): FilePart | null {
  const files = content === null ? [] : filesOf({ content });
  return files.find(({ location }) => location.type === "attachment" && location.id === id) ?? null;
}

// Searches only the conversation's queued inputs, which are few: they wait seconds or, if abandoned, until the next message.
const isUnreferenced = `message_id is null and not exists (
  select from inputs i
  where i.user_id = a.user_id and i.conversation_id = a.conversation_id and i.status = 'queued'
    and i.messages @> jsonb_build_array(jsonb_build_object('content',
      jsonb_build_array(jsonb_build_object('location', jsonb_build_object('id', a.id::text)))))
)`;

const dropForgotten = `
delete from attachments a where a.user_id = $1 and a.created_at < now() - interval '1 day' and a.${isUnreferenced}`;

const discard = `
delete from attachments a
where a.user_id = $1 and a.id in (${idsIn("$2")}) and a.${isUnreferenced}`;

const findContent = `
select place, object_key as "objectKey" from attachments
where user_id = $1 and sha256 = $2 and size = $3::int and place = $4 and is_stored
order by created_at limit 1`;

/** SQL: locks an object. The trigger that deletes unreferenced objects takes the same lock. */
const lockObject = "select pg_advisory_xact_lock(hashtextextended($1 || ' ' || $2, 0))";

const insertAttachment = `
insert into attachments (user_id, id, agent_id, conversation_id, name, media_type, size, sha256, place, object_key, is_stored)
select $1, $2::uuid, v.agent_id, v.id, $4, $5, $6::int, $7, $8, $9, $10::boolean
from conversations v where v.user_id = $1 and v.id = $3::uuid`;

const markStored = `
update attachments set is_stored = true
where user_id = $1 and id in (${idsIn("$2")})`;

const objectOf = `
select conversation_id as "conversationId", name, media_type as "mediaType", place, object_key as "objectKey"
from attachments where user_id = $1 and id = $2::uuid`;

const filesOfIds = `
select a.id, a.name, a.media_type as "mediaType", a.size as bytes, m.content
from attachments a left join messages m on m.user_id = a.user_id and m.id = a.message_id
where a.user_id = $1 and a.is_stored and a.id in (${idsIn("$2")})`;

const dueDeletions = `
select place, object_key as "objectKey" from object_deletions where user_id = $1 and place = $2 and due_at <= now()
order by created_at, object_key`;

const countFaults = `
select (
    select count(*)::int from attachments a
    where a.user_id = $1 and a.message_id is not null and (not a.is_stored or (a.place = 'database' and not exists (
      select from object_parts p where p.user_id = $1 and p.key = a.object_key and p.part = 0
    )))
  ) as missing,
  (select count(*)::int from object_deletions where user_id = $1 and due_at <= now()) as due`;

interface Reservation {
  readonly conversationId: string;
  readonly place: string;
  readonly files: readonly NewAttachment[];
}

async function reserve(
  tx: Transaction,
  userId: string,
  { conversationId, place, files }: Reservation,
): Promise<readonly ReservedAttachment[]> {
  await requireOpenConversation(tx, userId, conversationId);
  await tx.run(dropForgotten, [userId]);
  const reserved: ReservedAttachment[] = [];
  for (const file of files) {
    const known = await storedContent(tx, userId, { file, place });
    const object = known ?? { objectKey: `attachments/${file.id}`, isStored: false };
    const { id, name, mediaType, size, sha256 } = file;
    const { objectKey, isStored } = object;
    const described = [name, mediaType, size, sha256];
    await tx.run(insertAttachment, [userId, id, conversationId, ...described, place, objectKey, isStored]);
    reserved.push({ id, ...object });
  }
  return reserved;
}

/**
 * Returns an existing object with the same content; null if there is none. The object is looked up again under its
 * lock, because another process may be deleting it.
 */
async function storedContent(
  tx: Transaction,
  userId: string,
  { file, place }: { readonly file: NewAttachment; readonly place: string },
): Promise<Omit<ReservedAttachment, "id"> | null> {
  const parameters = [userId, file.sha256, file.size, place];
  const [found] = await tx.run<DueDeletion>(findContent, parameters);
  if (found === undefined) return null;
  await tx.run(lockObject, [userId, found.objectKey]);
  const [again] = await tx.run<DueDeletion>(findContent, parameters);
  return again?.objectKey === found.objectKey ? { objectKey: found.objectKey, isStored: true } : null;
}

const nameMessages = `
update attachments a set message_id = x.message_id
from jsonb_to_recordset($3::text::jsonb) as x (id uuid, message_id uuid)
where a.user_id = $1 and a.conversation_id = $2::uuid and a.id = x.id and a.message_id is null and a.is_stored
returning 1`;

/**
 * Assigns files to new messages, in the transaction that writes the messages. Throws RequestError `attachment_not_found` if a
 * file is missing, so that no message names a missing file.
 */
export async function attachFiles(
  tx: Transaction,
  userId: string,
  { conversationId, messages }: { readonly conversationId: string; readonly messages: readonly StoredMessage[] },
): Promise<void> {
  const links = messages.flatMap((message) =>
    filesOf(message).flatMap(({ location }) =>
      location.type === "attachment" ? [{ id: location.id, message_id: message.id }] : [],
    ),
  );
  if (links.length === 0) return;
  const isNamed = links.every(({ id }) => isUuid(id));
  const attached = isNamed ? await tx.run(nameMessages, [userId, conversationId, links]) : [];
  if (attached.length === links.length) return;
  throw new RequestError(
    "attachment_not_found",
    "A file of the message is not stored, or already belongs to another message. Nothing was written. Attach the file again.",
  );
}
