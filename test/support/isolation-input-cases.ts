// What a stranger gets who asks for the queue of a conversation of Ada's: a case for each function of that port.
import { secret } from "./isolation-scene.ts";
import type { PortCase } from "./isolation-source-cases.ts";

export const inputCases: Readonly<Record<string, PortCase>> = {
  "inputs.enqueue": [
    (user, of) => user.inputs.enqueue(of.conversationId, { messages: [{ idempotencyKey: "intrusion", content: [] }] }),
    "conversation_not_found",
  ],
  "inputs.renew": [(user, of) => user.inputs.renew(of.conversationId, `waiting: ${secret}`), undefined],
  "inputs.withdraw": [(user, of) => user.inputs.withdraw(of.conversationId, `waiting: ${secret}`), false],
  "inputs.listen": [
    async (user, of) => {
      const call = user.inputs.listen(of.conversationId, `waiting: ${secret}`);
      call?.end();
      return call?.isLive ?? false;
    },
    false,
  ],
  "inputs.abandoned": [(user, of) => user.inputs.abandoned(of.conversationId), []],
};
