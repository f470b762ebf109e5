// The log of model calls, read for calibration: of one user and one model, the newest, and never a long way back.
import type { StepRecord } from "../../src/memory/records.ts";
import type { UserStore } from "../../src/memory/store.ts";
import { openTestStore, type TestStore } from "../support/database.ts";
import { ids, newMessage, newStep, newTalk, type Talk } from "../support/store-builders.ts";

let test: TestStore;
let users = 0;

beforeAll(async () => {
  test = await openTestStore();
});

afterAll(() => test.close());

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
    await talk.user.turns.commitReply({
      ...talk,
      message,
      step: { ...step, usage: { ...step.usage, inputTokens } },
    });
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
