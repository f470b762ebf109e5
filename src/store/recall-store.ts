// Searches over what was said, across the conversations of one user with one agent.
// Invariant: only messages on their conversation's thread are found, unless all are asked for, and no event, tool result or
// empty text.
import type { StoredMessage } from "../memory/records.ts";
import type { Page } from "../memory/page.ts";
import type { RecallQuery, RecallStore } from "../memory/store.ts";
import { type MessageRow, messageOfRow } from "./message-rows.ts";
import { emptyPage, offsetOf, pageOf, type PageRow } from "./pages.ts";
import { searchTermsOf } from "./search-terms.ts";
import { messagesOfSpan } from "./sql/messages-of-span.ts";
import { searchMessages } from "./sql/search-messages.ts";
import type { SqlParameter } from "./transaction.ts";
import type { UserContext } from "./user-context.ts";
import { isUuid } from "./uuid.ts";

export function createRecallStore(context: UserContext): RecallStore {
  return {
    async search(query) {
      if (!isUuid(query.agentId)) return emptyPage;
      return query.text === undefined ? ofSpan(context, query) : byText(context, query, query.text);
    },
  };
}

async function byText(context: UserContext, query: RecallQuery, text: string): Promise<Page<StoredMessage>> {
  const { pattern, words, terms } = searchTermsOf(text);
  if (pattern === null) return emptyPage;
  return page(context, searchMessages, [query.agentId, pattern, words, terms, ...limitsOf(query)]);
}

function ofSpan(context: UserContext, query: RecallQuery): Promise<Page<StoredMessage>> {
  return page(context, messagesOfSpan, [query.agentId, ...limitsOf(query)]);
}

function limitsOf(query: RecallQuery): readonly SqlParameter[] {
  return [
    query.span?.from?.toISOString() ?? null,
    query.span?.before?.toISOString() ?? null,
    query.exceptTurnId ?? null,
    query.includeAbandoned ?? false,
    offsetOf(query),
    query.pageSize,
  ];
}

async function page(
  context: UserContext,
  statement: string,
  parameters: readonly SqlParameter[],
): Promise<Page<StoredMessage>> {
  const rows = await context.transaction((tx) => tx.run<PageRow<MessageRow>>(statement, parameters));
  return pageOf<MessageRow, StoredMessage>(rows, messageOfRow);
}
