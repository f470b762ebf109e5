// Defines the routes of `/v1` for groups of agents, which Letta's clients up to version 1.7.0 use.
// Invariant: a list of messages contains each message of the user once, and the messages of all agents that speak.
import * as z from "zod";
import { valueOn } from "../../../../base/thrown-values.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import type { Route, RouteCall } from "../../route.ts";
import { on, type RecordKind, recordRoutes } from "../letta-routes.ts";
import { pageOf, pageQuery } from "../pages.ts";
import { type MessageQuery, messagesQuery, readConversation, shownOf } from "../turns/read-messages.ts";
import { messagesShape, type ShownMessage } from "../turns/shown-message.ts";
import type { StoredRow } from "../turns/stored-rows.ts";
import { answerShape } from "../turns/turn-answer.ts";
import { turnRequest, type TurnRequest } from "../turns/turn-request.ts";
import { each, text } from "../wire-record.ts";
import {
  changeGroup,
  createGroup,
  deleteGroup,
  findGroup,
  type Group,
  groupChange,
  groupRecord,
  listGroups,
  newGroup,
} from "./group-record.ts";
import { groupConversation } from "./group-talk.ts";
import { answerGroup } from "./run-group.ts";
import { saidBy } from "./speak.ts";

const groupKind: RecordKind<Group> = {
  param: "group",
  one: "a group",
  many: "groups",
  shape: groupRecord.shape,
  show: (groups) => groups.map(groupRecord.show),
};

const group = recordRoutes("/groups", groupKind);
const groupsQuery = pageQuery("group").extend(each(text.optional(), "manager_type", "project_id"));

type SendCall = RouteCall<{ readonly group: string }, unknown, TurnRequest>;

async function send({ runtime, params, body, signal }: SendCall, isStreaming: boolean): Promise<unknown> {
  const found = await findGroup(runtime, params.group);
  return answerGroup({ runtime, group: found, request: body, isStreaming, signal });
}

export const groupRoutes: readonly Route[] = [
  group.list({ query: groupsQuery, run: async ({ runtime, query }) => shownGroups(await listGroups(runtime), query) }),
  group.create({
    body: newGroup,
    run: async ({ runtime, body }) => withTool(runtime, await createGroup(runtime, body)),
  }),
  group.count({ run: async ({ runtime }) => (await listGroups(runtime)).length }),
  group.get({ run: ({ runtime }, id) => findGroup(runtime, id) }),
  group.change({
    body: groupChange,
    run: async ({ runtime, body }, id) => withTool(runtime, await changeGroup(runtime, id, body)),
  }),
  on("delete /groups/:group", "admin", "Delete a group; its agents and their conversations stay", {
    output: z.object({ message: text }),
    run: async ({ runtime, params: { group: id } }) => {
      await deleteGroup(runtime, await findGroup(runtime, id));
      return { message: `Group id=group-${id} successfully deleted` };
    },
  }),
  on("get /agents/:agent/groups", "read", "List the groups that an agent is in, or manages", {
    query: groupsQuery,
    output: z.array(groupRecord.shape),
    run: async ({ runtime, params, query }) => {
      const { id } = await runtime.agents.find(params.agent);
      const isIn = ({ managerId, agentIds }: Group): boolean => managerId === id || agentIds.includes(id);
      return shownGroups((await listGroups(runtime)).filter(isIn), query).map(groupRecord.show);
    },
  }),
  on("post /groups/:group/messages", "chat", "Send messages to a group; with `streaming`, the answer is streamed", {
    body: turnRequest,
    output: answerShape,
    mayStream: true,
    run: (call) => send(call, call.body.streaming === true),
  }),
  on("post /groups/:group/messages/stream", "chat", "Send messages to a group, and stream the answer", {
    body: turnRequest,
    output: "events",
    run: (call) => send(call, true),
  }),
  on("get /groups/:group/messages", "read", "Get messages of a group, newest first", {
    query: messagesQuery,
    output: messagesShape,
    run: async ({ runtime, params, query }) => readGroup(runtime, await findGroup(runtime, params.group), query),
  }),
  on("patch /groups/:group/reset-messages", "admin", "Delete the messages of a group", {
    output: z.null(),
    run: async ({ runtime, params }) => {
      const found = await findGroup(runtime, params.group);
      const ids = [found.managerId, ...found.agentIds].filter((id) => id !== null);
      for (const id of ids) {
        const { id: conversation } = groupConversation(runtime, found, id);
        await runtime.conversations.delete(conversation).catch(valueOn("conversation_not_found", undefined));
      }
      return null;
    },
  }),
];

/** Returns a page of groups, oldest first unless the query says otherwise. */
function shownGroups(groups: readonly Group[], query: z.output<typeof groupsQuery>): readonly Group[] {
  const { manager_type: type, project_id: project, order = "asc" } = query;
  const shown = groups.filter(
    ({ isHidden, managerType, projectId }) =>
      isHidden !== true && (type ?? managerType) === managerType && (project ?? projectId) === projectId,
  );
  return pageOf(shown, { ...query, order });
}

/** Gives the manager of a supervised group the tool for questions to other agents, and returns the group. */
async function withTool({ agents }: Pick<UserRuntime, "agents">, made: Group): Promise<Group> {
  if (made.managerType !== "supervisor") return made;
  const { addedTools } = (await agents.find(made.managerId!)).settings;
  const tool = "send_message_to_agent_and_wait_for_reply";
  if (!addedTools.includes(tool)) await agents.update(made.managerId!, { addedTools: [...addedTools, tool] });
  return made;
}

/** Maximum number of messages of each agent in a list of a group's messages. */
const maxRows = 1000;
const defaultLimit = 10;

/** Returns a page of a group's messages: those in the manager's conversation, or those of all agents that speak. */
async function readGroup(runtime: UserRuntime, found: Group, query: MessageQuery) {
  const { managerId, managerType, agentIds } = found;
  const isLed = managerType === "supervisor" || managerType === "sleeptime";
  const speakers = isLed ? [managerId!] : agentIds;
  // The manager of a dynamic group gets each message of the user, and an agent only those of the rounds in which it speaks.
  const readers = managerType === "dynamic" ? [...new Set([managerId!, ...agentIds])] : speakers;
  const all = await Promise.all(
    readers.map(async (id) => {
      const agent = await runtime.agents.find(id);
      const conversation = await runtime.conversations
        .find(groupConversation(runtime, found, id).id)
        .catch(valueOn("conversation_not_found", null));
      if (conversation === null) return [];
      const { before: _before, after: _after, ...rest } = query;
      const rows = await readConversation(runtime, conversation, { ...rest, order: "desc", limit: maxRows });
      return rows.toReversed().map((row) => ({
        ...row,
        shown: row.shown.filter(isListed(speakers.includes(id))).map((one) => saidBy(agent, one)),
      }));
    }),
  );
  const rows = all.flat().filter(({ shown }) => shown.length > 0);
  const sorted = withoutRepeated(rows.toSorted((one, other) => Number(one.at) - Number(other.at)));
  const { order = "desc", limit = defaultLimit, before, after } = query;
  return shownOf(
    pageOf(sorted, { order, limit, before, after }, ({ id }) => id),
    query,
  );
}

/** Returns a filter for the messages in an agent's conversation: the user's and, if the agent speaks, its own. */
function isListed(speaks: boolean) {
  return ({ message_type: type }: ShownMessage): boolean =>
    type === "user_message" || (speaks && type !== "system_message");
}

/** Removes repeated messages of the user: a message has the same key (`otid`) in the conversations of all agents. */
function withoutRepeated(rows: readonly StoredRow[]): readonly StoredRow[] {
  const keys = new Set<unknown>();
  return rows.filter(({ shown: [first] }) => {
    if (first?.message_type !== "user_message") return true;
    const isNew = !keys.has(first["otid"]);
    keys.add(first["otid"]);
    return isNew;
  });
}
