// `palimpsest keys` and `palimpsest users`: the keys that identify a user to a server; users, their usage and their deletion.
import { RequestError } from "../../../base/errors.ts";
import { groupBy } from "../../../base/lists.ts";
import { addUsage, dollarsOf, type ModelPrice, noUsage, type Usage } from "../../../base/message/message.ts";
import { numberText } from "../../../base/window-words.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { removeInputHistory } from "../chat/input-history-file.ts";
import { shellWord } from "../../surface-words.ts";
import { type CommandCall, commandTable, type Result } from "../command.ts";
import { minute, recordText, tableText } from "../format/listing-texts.ts";
import { flagOptions } from "../parse/contract-options.ts";
import { numberFlag, settingsOf } from "../parse/flag-values.ts";
import { storeFlags } from "../parse/flags.ts";
import { notice, requireYes } from "../print.ts";
import type { UserUsage } from "../runtime-records.ts";

export const commands = commandTable({
  "keys create": {
    summary: "create a key for the server, and print its secret once",
    details:
      "The key belongs to the user of --user. Only a hash of its secret is stored: keep the secret when it is shown.",
    flags: ["agent", "scope", "name", "json"],
    async run(call) {
      const { contracts } = await import("../../../runtime/contracts.ts");
      const options = flagOptions(call.line, contracts.keys.create.args[0]);
      const { keys, userId } = await call.runtime();
      const key = await keys.create(options);
      return {
        json: key,
        text: `Created a key of "${userId}" (scope ${key.scope}). Its secret is shown only now:\n${key.secret}`,
      };
    },
  },
  "keys list": {
    summary: "list the keys of a user, also the revoked ones",
    flags: ["json"],
    async run(call) {
      const { keys: operations, userId } = await call.runtime();
      const keys = await operations.list();
      const rows = keys.map(({ id, name, prefix, scope, agentId, createdAt, lastUsedAt, revokedAt }) => [
        name,
        `${prefix}…`,
        scope,
        agentId ?? "every agent",
        minute(createdAt),
        lastUsedAt === null ? "never" : minute(lastUsedAt),
        revokedAt === null ? "" : `revoked ${minute(revokedAt)}`,
        id,
      ]);
      const columns = ["NAME", "SECRET", "SCOPE", "AGENT", "MADE (UTC)", "USED (UTC)", "STATE", "ID"];
      const ending = `To end one at once: ${call.world.command} keys revoke ID --user ${shellWord(userId)}`;
      return {
        json: keys,
        text: keys.length === 0 ? `"${userId}" has no key.` : `${tableText(columns, rows, "")}\n\n${ending}`,
      };
    },
  },
  "keys revoke": {
    usage: "ID",
    summary: "end a key at once",
    flags: ["json"],
    async run(call, id) {
      await (await call.runtime()).keys.revoke(id);
      return { json: { revoked: id }, text: `Revoked the key ${id}.` };
    },
  },
  "users list": {
    summary: "list the users who have stored something",
    details: "Needs the database role that owns the tables. The other commands act for the user of --user.",
    flags: ["json"],
    async run(call) {
      const users = await (await call.runtime()).listUsers();
      const rows = users.map(({ userId, createdAt, agents, lastMessageAt }) => [
        userId,
        String(agents),
        minute(createdAt),
        lastMessageAt === null ? "never" : minute(lastMessageAt),
      ]);
      return {
        json: users,
        text: tableText(["USER", "AGENTS", "SINCE (UTC)", "LAST MESSAGE (UTC)"], rows, "No user."),
      };
    },
  },
  "users usage": {
    summary: "show the tokens and the cost of each user",
    details:
      "Counts stored replies, summaries and consolidations of the last N days in UTC, including today, as user limits do.\n" +
      "Needs the database role that owns the tables.",
    flags: ["days", "json"],
    async run(call) {
      const days = numberFlag(call.line, "days", { min: 1, max: 3650, otherwise: 30 });
      const today = new Date().toISOString().slice(0, 10);
      const { listUsage, models } = await call.runtime();
      const used = await listUsage(new Date(Date.parse(today) - (days - 1) * dayMs));
      const users = userCosts(used, models.priceOf);
      const rows = users.map(({ userId, inputTokens, cachedInputTokens, outputTokens, dollars, models: named }) => [
        userId,
        ...[inputTokens, cachedInputTokens, outputTokens].map(numberText),
        dollars === null ? "unknown" : `$${dollars.toFixed(4)}`,
        named.map(({ model }) => model).join(", "),
      ]);
      const columns = ["USER", "INPUT", "CACHED", "OUTPUT", "COST", "MODELS"];
      return { json: users, text: tableText(columns, rows, `No user has called a model in ${days} days.`) };
    },
  },
  "users show": {
    summary: "show how much a user has stored",
    flags: ["json"],
    async run(call) {
      const { user, userId } = await call.runtime();
      const usage = await user.usage();
      return { json: usage, text: usage === null ? `"${userId}" has stored nothing.` : recordText(usage) };
    },
  },
  "users remove": {
    usage: "USER --yes",
    summary: "delete a user and everything that belongs to them",
    details:
      "Deletes their agents, their conversations and archives with any agent, and offers by and to them. Other users can then\n" +
      "only read their data with these agents. Earlier backups still contain everything.",
    flags: ["yes", ...storeFlags.filter((name) => name !== "user")],
    withoutStore: true,
    async run(call, user) {
      // Opens the runtime of this user, because a runtime can delete only its own user.
      const flags = { ...settingsOf(call.line), user };
      const runtime = await call.world.openRuntime(flags, (text) => notice(call, text));
      try {
        return await removeUser(call, runtime);
      } finally {
        await runtime.close();
      }
    },
  },
});

const dayMs = 86_400_000;

/** Returns the usage of each user, most tokens first. The cost of a user is null if the price of a model is unknown. */
function userCosts(used: readonly UserUsage[], priceOf: Runtime["models"]["priceOf"]) {
  const users = [...groupBy(used, ({ userId }) => userId)].map(([userId, calls]) => {
    const models = calls.map((call) => {
      const { userId: _user, ...sums } = call;
      return { ...sums, dollars: costOf(call, priceOf(call.model)) };
    });
    const costs = models.map(({ dollars }) => dollars);
    const dollars = costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
    return { userId, ...calls.reduce<Usage>(addUsage, noUsage), dollars, models };
  });
  return users.toSorted((one, other) => tokensOf(other) - tokensOf(one));
}

function costOf(usage: Usage, price: ModelPrice | null): number | null {
  return price === null ? null : Number(dollarsOf(usage, price).toFixed(9));
}

function tokensOf({ inputTokens, outputTokens }: Usage): number {
  return inputTokens + outputTokens;
}

async function removeUser(call: CommandCall, { user, userId }: Runtime): Promise<Result> {
  const usage = await user.usage();
  if (usage === null)
    throw new RequestError(
      "user_not_found",
      `There is no data of a user "${userId}". Check the name: it must equal the value of --user.`,
    );
  const { agents, sharedWith, conversations, messages, passages, sources } = usage;
  const parts = `${agents} agents, ${conversations} conversations with ${messages} messages, ${sources} sources, ${passages} passages`;
  const others =
    sharedWith === 0 ? "" : `. Other users who could then only read their data with these agents: ${sharedWith}`;
  requireYes(call, `"${userId}": ${parts}${others}`);
  await user.delete();
  const { dataDir } = await call.world.settings(settingsOf(call.line));
  await removeInputHistory(dataDir, userId);
  return { text: `Deleted "${userId}": ${parts}.` };
}
