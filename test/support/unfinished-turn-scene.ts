// Hosts on one database, of which one hands over a turn that another is to continue.
import type { Agent } from "../../src/agent/agent.ts";
import { type Clock, systemClock } from "../../src/base/clock.ts";
import { createHost, type HostOptions } from "../../src/runtime/compose/compose.ts";
import type { Model, ModelRequest } from "../../src/model/llm/model.ts";
import { noUsage, textOf } from "../../src/base/message/message.ts";
import type { Host } from "../../src/runtime/host.ts";
import { openDatabase } from "../../src/store/connection/database.ts";
import { thisHolder } from "../../src/base/lock-holder.ts";
import { createTestDatabase, placeOf } from "./database.ts";

/** Looks for turns twenty times a second. */
const quickClock: Clock = {
  now: () => systemClock.now(),
  sleep: (ms, signal, options) => systemClock.sleep(Math.min(ms, 50), signal, options),
};

export interface SaidModel extends Model {
  readonly requests: ModelRequest[];
  /** Resolves when it has been asked. */
  readonly asked: Promise<void>;
}

/** Answers with its name and the last message, or with nothing until it is stopped if that says `WAIT`. */
export function sayingModel(name: string, waits: string | null = null): SaidModel {
  const requests: ModelRequest[] = [];
  let report = (): void => undefined;
  const asked = new Promise<void>((resolve) => (report = resolve));
  return {
    name,
    contextWindow: 32_768,
    requests,
    asked,
    async *stream(request, { signal } = {}) {
      requests.push(request);
      report();
      const text = textOf(request.messages.findLast(({ role }) => role === "user")!);
      if (waits !== null && text.includes(waits)) {
        yield { type: "text-delta", text: "Half" };
        await new Promise((_, reject) =>
          signal?.addEventListener("abort", () => reject(signal.reason), { once: true }),
        );
      }
      if (text.includes("CALL") && request.messages.at(-1)?.role !== "tool")
        yield { type: "tool-call", callId: `call_${requests.length}`, name: "work", arguments: "{}" };
      else yield { type: "text-delta", text: `${name}: ${/\w+$/u.exec(text)?.[0]}` };
      const isCall = text.includes("CALL") && request.messages.at(-1)?.role !== "tool";
      yield { type: "end", stopReason: isCall ? "tool-calls" : "end", usage: { ...noUsage, inputTokens: 10 } };
    },
  };
}

/** Two models that answer. */
export const answeringModels = () => [sayingModel("main"), sayingModel("other")];

/** Two models that wait if the message says so. */
export const waitingModels = () => [sayingModel("main", "WAIT"), sayingModel("other", "WAIT")];

export interface ServedHost {
  readonly host: Host;
  readonly lines: string[];
  readonly models: readonly SaidModel[];
}

export interface UnfinishedTurn {
  readonly agent: Agent;
  readonly id: string;
}

export async function openUnfinishedTurnScene() {
  const database = await createTestDatabase();
  const owner = await openDatabase({ connection: database.connection });
  const hosts: Host[] = [];
  let names = 0;

  /** Runs a statement as the owner of the tables. */
  const change = (statement: string, parameters: readonly string[] = []) =>
    owner.ownerTransaction((tx) => tx.run(statement, [...parameters]));

  async function openHost(models: readonly SaidModel[], options: Partial<HostOptions> = {}): Promise<ServedHost> {
    const place = placeOf(database);
    const lines: string[] = [];
    const log = (line: string): void => void lines.push(line);
    const given = { model: "main", models, embedder: null, timeZone: "UTC", clock: quickClock, log, ...options };
    const host = await createHost({ ...place, ...given });
    hosts.push(host);
    return { host, lines, models };
  }

  /** Opens a host that continues turns. */
  async function serve(models: readonly SaidModel[], options: Partial<HostOptions> = {}): Promise<ServedHost> {
    const served = await openHost(models, options);
    void served.host.continueTurns();
    return served;
  }

  async function newAgent({ host }: ServedHost, user = "ada"): Promise<Agent> {
    names += 1;
    return host.forUser(user).agents.open(`left-${names}`, { create: {}, conversation: "new" });
  }

  return {
    change,
    openHost,
    serve,
    newAgent,

    /** Starts a turn that waits in the model, and leaves it. */
    async leave(options: Parameters<Agent["start"]>[1] = {}): Promise<UnfinishedTurn> {
      const models = waitingModels();
      const served = await serve(models);
      const agent = await newAgent(served);
      const { id } = await agent.start("WAIT first", options);
      await models[options.model === "other" ? 1 : 0]!.asked;
      await served.host.close({ graceMs: 0 });
      return { agent, id };
    },

    /** The same, with messages that wait behind the turn. */
    async leaveQueue(
      ...inputs: Parameters<Agent["start"]>[]
    ): Promise<{ readonly agent: Agent; readonly ids: string[] }> {
      const models = waitingModels();
      const served = await serve(models);
      const agent = await newAgent(served);
      const ids = [(await agent.start("WAIT first")).id];
      await models[0]!.asked;
      for (const input of inputs) ids.push((await agent.start(...input)).id);
      await served.host.close({ graceMs: 0 });
      return { agent, ids };
    },

    /** Makes another process the holder of the lease. */
    holdAs(other: object, { conversationId }: Agent, expiry: string) {
      const holder = JSON.stringify({ ...thisHolder(), ...other, claimant: "gone" });
      const hold = `update conversations set lease_holder = $1, lease_expires_at = now() + $2::interval where id = $3::uuid`;
      return change(hold, [holder, expiry, conversationId]);
    },

    /** As five seconds after the process that sent the queued inputs has ended. */
    loseSenders: () =>
      change("update inputs set waits_until = now() + interval '30 seconds' where status = 'queued' and is_served"),

    async endHosts(): Promise<void> {
      for (const host of hosts.splice(0)) await host.close({ graceMs: 0 });
      await change("update turns set is_served = false");
    },

    async close(): Promise<void> {
      await owner.close();
      await database.remove();
    },
  };
}

/** Resolves to the turn's record when it is over. */
export async function overTurn({ host }: ServedHost, id: string, user = "ada") {
  for (;;) {
    const turn = await host.forUser(user).turns.find(id);
    if (turn.stopReason !== null) return turn;
    await systemClock.sleep(20);
  }
}

/** Opens the same conversation. */
export const reopen = ({ host }: ServedHost, { record, conversationId }: Agent, user = "ada"): Promise<Agent> =>
  host.forUser(user).agents.open(record.id, { conversation: { id: conversationId } });

export const textsOf = async (served: ServedHost, agent: Agent, user = "ada"): Promise<readonly string[]> =>
  (await reopen(served, agent, user)).messages.map(textOf);
