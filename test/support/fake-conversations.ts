// Conversations without a store: records that they were asked for, and answers with literals.
import { RequestError } from "../../src/base/errors.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { branches, conversation } from "./fake-records.ts";

/** `nameOf` throws for an unknown agent. */
export function createFakeConversations(
  called: (name: string, ...values: unknown[]) => void,
  nameOf: (agent: string) => string,
): Runtime["conversations"] {
  return {
    list: async (name, options) => {
      called("conversations.list", name === null ? null : nameOf(name), options);
      return [conversation];
    },
    create: async (name, made) => {
      called("conversations.create", nameOf(name), made);
      return conversation;
    },
    find: async () => conversation,
    delete: async (id) => called("conversations.delete", id),
    messages: async (id, page) => {
      called("conversations.messages", id, page);
      return { messages: [], hasOlder: false, hasNewer: false };
    },
    message: async () => {
      throw new RequestError("message_not_found", "The fake has no messages.");
    },
    file: async () => {
      throw new RequestError("attachment_not_found", "The fake has no files.");
    },
    rename: async (id, title) => {
      called("conversations.rename", id, title);
      return { ...conversation, title };
    },
    branches: async (id) => {
      called("conversations.branches", id);
      return branches;
    },
    history: async (request) => {
      called("conversations.history", request);
      return { messages: [], tokens: 0, text: null, query: null, isComplete: true };
    },
    fork: async (id) => {
      called("conversations.fork", id);
      return conversation;
    },
    export: async (id) => {
      called("conversations.export", id);
      return [];
    },
    import: async (name, imported) => {
      called("conversations.import", nameOf(name), imported);
      return { ...conversation, title: imported.title ?? null };
    },
  };
}
