// The log of model calls, read for calibration: of one user and one model, the newest, and never a long way back.
import type { StepRecord } from "../../src/store/port/records.ts";
import type { UserStore } from "../../src/store/port/store.ts";
import { useStore } from "../support/database.ts";
import { ids, newMessage, newStep, newTalk, type Talk } from "../support/store-builders.ts";

const { test } = useStore();
let users = 0;

/** A user of their own, so that nobody else's steps are counted. */
function newUser(): UserStore {
  users += 1;
  return test.store.as(`user ${users}`);
}

interface Logged {
  readonly model?: string;
  readonly inputTokens?: number;
  readonly report?: Readonly<Record<string, unknown>>;
}

/** Logs steps in this order, each with a reply of its own. */
async function log(talk: Talk, steps: readonly Logged[]): Promise<void> {
  let { leafId: parentId } = (await talk.user.conversations.find(talk.conversationId))!;
  for (const { inputTokens = 12, report = { counted: 10 }, ...change } of steps) {
    const message = newMessage({ parentId, role: "assistant" });
    // Whatever another version of the program may have written.
    const step = { ...newStep(message.turnId), ...change, report: report as unknown as StepRecord["report"] };
    await talk.user.turns.commitReply({ ...talk, message, step: { ...step, usage: { ...step.usage, inputTokens } } });
    parentId = message.id;
  }
}

describe("usageSamples", () => {
  it("returns the newest of the model, the newest last, from all of the user's conversations", async () => {
    const user = newUser();
    const [one, other] = [await newTalk(user), await newTalk(user)];
    await log(
      one,
      [1, 2, 3].map((inputTokens) => ({ inputTokens, report: { counted: 10 * inputTokens } })),
    );
    await log(other, [{ inputTokens: 4, report: { counted: 40, factor: 2 } }]);
    await log(one, [{ model: "other", inputTokens: 5 }]);
    const sample = (reported: number) => ({ estimated: 10 * reported, reported });
    expect(await user.steps.usageSamples("demo", 20)).toEqual([1, 2, 3, 4].map(sample));
    expect(await user.steps.usageSamples("demo", 2)).toEqual([3, 4].map(sample));
    expect(await user.steps.usageSamples("other", 20)).toEqual([{ estimated: 10, reported: 5 }]);
    expect(await user.steps.usageSamples("d%", 20)).toEqual([]);
    expect(await user.steps.usageSamples("demo\u0000", 20)).toEqual([]);
  });

  it("excludes steps without an estimate or reported usage", async () => {
    const user = newUser();
    const reports = [
      {},
      { counted: 0 },
      { counted: "10" },
      { counted: null },
      { counted: [10] },
      { counted: -3 },
      { tiers: 1 },
    ];
    await log(await newTalk(user), [...reports.map((report) => ({ report })), { inputTokens: 0 }, { inputTokens: 7 }]);
    expect(await user.steps.usageSamples("demo", 20)).toEqual([{ estimated: 10, reported: 7 }]);
  });

  it("returns only the user's own", async () => {
    const [ada, ben] = [newUser(), newUser()];
    await log(await newTalk(ada), [{ inputTokens: 1 }]);
    await log(await newTalk(ben), [{ inputTokens: 2 }]);
    expect(await ada.steps.usageSamples("demo", 20)).toEqual([{ estimated: 10, reported: 1 }]);
    expect(await ben.steps.usageSamples("demo", 20)).toEqual([{ estimated: 10, reported: 2 }]);
    expect(await newUser().steps.usageSamples("demo", 20)).toEqual([]);
  });

  it("reads only the user's newest 200 steps", async () => {
    const user = newUser();
    const talk = await newTalk(user);
    await log(talk, [{ inputTokens: 1 }, { inputTokens: 2 }]);
    await test.ownerRows(
      `insert into steps (user_id, id, agent_id, conversation_id, turn_id, number, message_id, model, finish,
         input_tokens, output_tokens, cached_input_tokens, report)
       select $1, ('ffffffff-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, $2::uuid, $3::uuid, $4::uuid, 1, $4::uuid,
         'other', 'end', 1, 1, 0, '{}'
       from generate_series(1, 199) as n`,
      [user.userId, talk.agentId, talk.conversationId, ids.next()],
    );
    expect(await user.steps.usageSamples("demo", 20)).toEqual([{ estimated: 10, reported: 2 }]);
  });
});

describe("list", () => {
  it("returns what the provider told of a call with its usage, and the report without it", async () => {
    const user = newUser();
    const talk = await newTalk(user);
    const message = newMessage({ parentId: null, role: "assistant" });
    const step = newStep(message.turnId);
    const usage = { ...step.usage, droppedThoughts: 2, cacheMiss: "tools changed" };
    await user.turns.commitReply({ ...talk, message, step: { ...step, usage } });
    const [stored] = await user.steps.list(talk.conversationId, 1);
    expect([stored!.usage, stored!.report]).toEqual([usage, step.report]);
  });
});

describe("usageSince", () => {
  it("sums the tokens of the user's calls by model, and no one else's", async () => {
    const [ada, ben] = [newUser(), newUser()];
    const [one, other] = [await newTalk(ada), await newTalk(ada)];
    await log(one, [{ inputTokens: 1000 }, { inputTokens: 2000 }, { model: "other", inputTokens: 5 }]);
    await log(other, [{ inputTokens: 4 }]);
    await log(await newTalk(ben), [{ inputTokens: 7 }]);
    expect(await ada.steps.usageSince(new Date(0))).toEqual([
      { model: "demo", inputTokens: 3004, outputTokens: 9, cachedInputTokens: 0 },
      { model: "other", inputTokens: 5, outputTokens: 3, cachedInputTokens: 0 },
    ]);
    expect(await newUser().steps.usageSince(new Date(0))).toEqual([]);
  });

  it("excludes calls before the moment", async () => {
    const user = newUser();
    const talk = await newTalk(user);
    await log(talk, [{ inputTokens: 1 }]);
    await test.ownerRows(
      `insert into steps (user_id, id, agent_id, conversation_id, turn_id, number, message_id, model, finish,
         input_tokens, output_tokens, cached_input_tokens, report)
       select $1, ($5 || '-7000-8000-000000000000')::uuid, $2::uuid, $3::uuid, $4::uuid, 1, $4::uuid, 'old', 'end', 1, 1, 0, '{}'`,
      [user.userId, talk.agentId, talk.conversationId, ids.next(), "01800000-0000"],
    );
    const moment = 0x018000000000;
    const modelsSince = async (ms: number) => (await user.steps.usageSince(new Date(ms))).map(({ model }) => model);
    expect(await modelsSince(moment)).toEqual(["demo", "old"]);
    expect(await modelsSince(moment + 1)).toEqual(["demo"]);
    expect(await modelsSince(Date.now() + 60_000)).toEqual([]);
  });

  it("estimates calls without a reported usage, and counts summaries", async () => {
    const user = newUser();
    const talk = await newTalk(user);
    await log(talk, [
      { inputTokens: 0, report: { total: 250 } },
      { inputTokens: 0, report: {} },
    ]);
    await test.ownerRows("update messages set tokens = 20 where user_id = $1 and role = 'assistant'", [user.userId]);
    expect(await user.steps.usageSince(new Date(0))).toEqual([
      { model: "demo", inputTokens: 250, outputTokens: 40, cachedInputTokens: 0 },
    ]);
    await test.ownerRows(
      `insert into compactions (user_id, id, agent_id, conversation_id, window_version, strategy, from_position, through_id,
         through_position, summary, thread_messages, range_tokens, tokens_before, tokens_after, model, input_tokens,
         output_tokens, cached_input_tokens, trust)
       select $1, $4::uuid, $2::uuid, $3::uuid, 1, 'recursive', 1, $4::uuid, 1, 's', 1, 1, 1, 1, 'summarizer', 90, 10, 5, 'model'`,
      [user.userId, talk.agentId, talk.conversationId, ids.next()],
    );
    expect((await user.steps.usageSince(new Date(0)))[1]).toEqual({
      model: "summarizer",
      inputTokens: 90,
      outputTokens: 10,
      cachedInputTokens: 5,
    });
  });
});
