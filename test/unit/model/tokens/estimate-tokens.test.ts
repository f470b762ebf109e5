// The estimate is up to 25% too high for the usual texts of an agent.
import fc from "fast-check";
import { createTokenCounter } from "../../../../src/model/tokens/create-token-counter.ts";
import { freeEncoders } from "../../../../src/model/tokens/encoding-counter.ts";
import { estimateTokens } from "../../../../src/model/tokens/token-counter.ts";

afterAll(freeEncoders);

const samples: Readonly<Record<string, string>> = {
  "English prose":
    "Cinderella wept when her sisters left for the ball without her. Then an old woman stood at the kitchen door, leaning " +
    "on a stick, and asked why she was crying. Nobody had asked her that for years, so it took her a while to find words. " +
    "The woman listened, nodded, and sent her into the garden to fetch the largest pumpkin that she could carry.",
  code:
    "export function addUsage(one: Usage, other: Usage): Usage {\n  return {\n    inputTokens: one.inputTokens + other.inputTokens,\n" +
    "    outputTokens: one.outputTokens + other.outputTokens,\n  };\n}\n\nfor (let index = 0; index < text.length; index += 1) {\n" +
    '  if (unit >= 0xd800 && isLowSurrogate(text.charCodeAt(index + 1))) throw new RangeError("cut in two");\n}\n',
  JSON: JSON.stringify([
    { name: "archival_memory_insert", arguments: { content: "Ada plays chess on Sundays.", tags: ["hobby", "chess"] } },
    { name: "conversation_search", arguments: { query: "birthday party", page: 0, request_heartbeat: true } },
    {
      name: "core_memory_replace",
      arguments: { label: "human", old_content: "lives in Bonn", new_content: "lives in Kiel" },
    },
  ]),
  German:
    "Gestern habe ich meine Schwester am Bahnhof abgeholt. Wir sind durch die Altstadt spaziert, haben Kuchen gegessen und " +
    "lange über unsere Kindheit gesprochen. Am Wochenende möchte sie das Museum für zeitgenössische Kunst besuchen, obwohl " +
    "es wahrscheinlich regnen wird. Die Öffnungszeiten stehen auf der Internetseite.",
  Chinese:
    "昨天我去火车站接我的妹妹。我们在老城区散步，吃了蛋糕，聊了很久小时候的事情。周末她想去参观当代艺术博物馆，虽然可能会下雨。" +
    "她说她最喜欢的颜色是蓝色，而且不吃花生，因为她对花生过敏。",
  "chat with emoji":
    "That's wonderful news! 🎉 I can't wait to see the photos from your trip 😀👍 My brother is coming over on Friday, so " +
    "we might cook something together 🍕. Love you lots ❤️ and say hello to the dog 🐶",
};

describe("estimateTokens", () => {
  const { count } = createTokenCounter("openai/gpt-5");

  it.each(Object.keys(samples))("is between 0 and 25%% above o200k_base on %s", (name) => {
    const ratio = estimateTokens(samples[name]!) / count(samples[name]!);
    expect(ratio).toBeGreaterThanOrEqual(1);
    expect(ratio).toBeLessThanOrEqual(1.25);
  });

  it("is 0 for nothing and at least 1 for anything else", () => {
    expect(estimateTokens("")).toBe(0);
    fc.assert(fc.property(fc.string({ unit: "binary", minLength: 1 }), (text) => estimateTokens(text) >= 1));
  });

  it("hardly shrinks when text is added", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, two) => estimateTokens(one + two) >= estimateTokens(one) - 1),
    );
  });
});
