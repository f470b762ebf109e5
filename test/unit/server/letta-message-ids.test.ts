// Ids of Letta's messages that are made from ids of ours.
import { messageId, otidOf, readMessageId, stepId } from "../../../src/surfaces/http/letta/ids.ts";

const uuids = ["0198f1f0-1234-7abc-89de-0123456789ab", "123e4567-e89b-42d3-bf56-426614174fff"];

test.each(uuids)("an id of %s is read again, whatever it stands for", (uuid) => {
  for (const mark of [null, "derived", "decision"] as const) {
    expect(readMessageId(messageId(uuid, mark))).toEqual({ uuid, mark });
    expect(readMessageId(messageId(uuid, mark).toUpperCase().replace("MESSAGE", "message"))).toEqual({ uuid, mark });
  }
  expect(new Set([null, "derived", "decision"].map((mark) => messageId(uuid, mark as null))).size).toBe(3);
});

test("what is derived has a digit that no stored message has", () => {
  expect(messageId(uuids[0]!, "derived")).toBe("message-0198f1f0-1234-7abc-c9de-0123456789ab");
  expect(messageId(uuids[0]!, "decision")).toBe("message-0198f1f0-1234-fabc-89de-0123456789ab");
  expect(messageId(uuids[1]!, "derived")).toBe("message-123e4567-e89b-42d3-ff56-426614174fff");
});

test.each(["", "message-", "run-0198f1f0-1234-7abc-89de-0123456789ab", "message-0198f1f0"])("%j is no id", (id) => {
  expect(readMessageId(id)).toBeNull();
});

test("the otid keeps the first bit of the last byte, and has the number in the others", () => {
  expect(otidOf("message-85aebbfd-584d-41bb-9037-4417d1da7f7d", 0)).toBe("85aebbfd-584d-41bb-9037-4417d1da7f00");
  expect(otidOf("message-a2057b47-a581-41b2-9538-37b2e79f07e8", 0)).toBe("a2057b47-a581-41b2-9538-37b2e79f0780");
  expect(otidOf("message-a2057b47-a581-41b2-9538-37b2e79f07e8", 2)).toBe("a2057b47-a581-41b2-9538-37b2e79f0782");
});

test("a step is named by its reply", () => expect(stepId(uuids[0]!)).toBe(`step-${uuids[0]}`));
