// Removes forgotten texts from messages, on all branches.
// Invariant: a message keeps its row, its place in the tree, its calls and results. No search finds an emptied message.
import { foldText } from "../../base/fold-text.ts";
import { forgottenMark } from "../../base/redactor.ts";
import type { ForgottenPlace } from "../port/forgetting-store.ts";
import { emptiedContent, excerptOf, redactContent } from "../../base/message/forget-content.ts";
import type { ContentPart } from "../../base/message/message.ts";
import { indexedTerms } from "../search/lexical-terms.ts";
import { idsIn } from "../stored-values.ts";
import { type ForgettingWork, pagesById } from "./forgetting-work.ts";

/** A message whose content is emptied or redacted. */
export interface ForgottenMessage {
  readonly id: string;
  readonly conversationId: string;
  readonly turnId: string;
  readonly position: number;
}

interface MessageRow {
  readonly id: string;
  readonly conversation_id: string;
  readonly turn_id: string;
  readonly position: number;
  readonly speaker: string | null;
  readonly content: string;
  readonly text: string;
  readonly is_searched: boolean;
  readonly tokens: number;
}

interface ChangedMessage {
  readonly id: string;
  readonly speaker: string | null;
  readonly content: readonly ContentPart[];
  readonly text: string;
  readonly search_text: string | null;
  readonly terms: string | null;
  readonly tokens: number;
}

const pageOfMessages = `
select id, conversation_id, turn_id, position, speaker, content::text as content, text,
  search_text is not null as is_searched, tokens
from messages where user_id = $1 and id > $2::uuid order by id limit $3::int`;

/** Selects requested messages and their copies in forks, which have the same time, role and text. */
const messagesWithCopies = `
select m.id from messages m
where m.user_id = $1 and exists (
  select from messages o
  where o.user_id = $1 and o.id in (${idsIn("$2")})
    and o.created_at = m.created_at and o.role = m.role and o.text = m.text
)`;

const changeMessages = `
update messages m
set speaker = x.speaker, content = x.content, text = x.text, search_text = x.search_text, terms = x.terms::tsvector, tokens = x.tokens
from jsonb_to_recordset($2::text::jsonb)
  as x (id uuid, speaker text, content jsonb, text text, search_text text, terms text, tokens int)
where m.user_id = $1 and m.id = x.id`;

/** Deletes the links (`later_statements`) of changed messages, because the words that showed the relation may be gone. */
const unlinkMessages = `
delete from later_statements l using jsonb_to_recordset($2::text::jsonb) as x (id uuid)
where l.user_id = $1 and x.id in (l.earlier_id, l.later_id)`;

/** Returns the ids of the messages that the request names, and of their copies in forks. */
export async function messagesOfRequest({
  tx,
  userId,
  request,
}: Pick<ForgettingWork, "tx" | "userId" | "request">): Promise<readonly string[]> {
  const rows = await tx.run<Pick<MessageRow, "id">>(messagesWithCopies, [userId, request.messages]);
  return rows.map(({ id }) => id);
}

export async function forgetMessages(
  work: ForgettingWork,
): Promise<{ readonly places: readonly ForgottenPlace[]; readonly messages: readonly ForgottenMessage[] }> {
  const { tx, userId, emptied } = work;
  const places: ForgottenPlace[] = [];
  const messages: ForgottenMessage[] = [];
  for await (const rows of pagesById<MessageRow>(work, pageOfMessages)) {
    const changed: ChangedMessage[] = [];
    for (const row of rows) {
      const effect = emptied.has(row.id) ? "emptied" : "redacted";
      const change = effect === "emptied" ? emptiedMessage(row) : redactedMessage(row, work);
      if (change === null) continue;
      changed.push(change);
      messages.push({ id: row.id, conversationId: row.conversation_id, turnId: row.turn_id, position: row.position });
      places.push({ kind: "message", id: row.id, excerpt: excerptOfRow(row, work), effect });
    }
    if (!work.writes || changed.length === 0) continue;
    await tx.run(changeMessages, [userId, changed]);
    await tx.run(unlinkMessages, [userId, changed.map(({ id }) => ({ id }))]);
  }
  return { places, messages };
}

function emptiedMessage(row: MessageRow): ChangedMessage {
  const content = emptiedContent(partsOf(row));
  const text = row.text === "" ? "" : forgottenMark;
  return {
    id: row.id,
    speaker: row.speaker,
    content,
    text,
    search_text: null,
    terms: null,
    tokens: tokensOf(row, content),
  };
}

function redactedMessage(row: MessageRow, { redactor, attachments }: ForgettingWork): ChangedMessage | null {
  const isNamed = [...attachments].some((id) => row.content.includes(id));
  const mayHold = isNamed || [row.content, row.text, row.speaker ?? ""].some((text) => redactor.has(text));
  if (!mayHold) return null;
  const parts = partsOf(row);
  const content = redactContent(parts, redactor, attachments) ?? parts;
  const [text, speaker] = [redactor.redact(row.text), row.speaker === null ? null : redactor.redact(row.speaker)];
  if (content === parts && text === row.text && speaker === row.speaker) return null;
  const searchText = row.is_searched ? foldText(text) : null;
  return {
    id: row.id,
    speaker,
    content,
    text,
    search_text: searchText,
    terms: searchText === null ? null : indexedTerms(searchText),
    tokens: tokensOf(row, content),
  };
}

function partsOf({ content }: MessageRow): readonly ContentPart[] {
  return JSON.parse(content) as readonly ContentPart[];
}

/** Estimates a message's tokens by the length of its remaining content, because the token counter is not known here. */
function tokensOf({ tokens, content: before }: MessageRow, content: readonly ContentPart[]): number {
  return Math.min(tokens, Math.ceil((tokens * JSON.stringify(content).length) / before.length));
}

function excerptOfRow({ content, text }: MessageRow, { redactor }: ForgettingWork): string | null {
  return redactor.excerpt(text) ?? excerptOf(content, redactor) ?? (text.slice(0, 80) || null);
}
