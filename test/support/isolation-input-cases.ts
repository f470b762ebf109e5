// What a stranger gets who asks for the queue of a conversation of Ada's: a case for each function of that port.
import { secret } from "./isolation-scene.ts";
import type { PortCase } from "./isolation-source-cases.ts";

export const inputCases: Readonly<Record<string, PortCase>> = {
  "inputs.enqueue": {
    call: (user, of) =>
      user.inputs.enqueue(of.conversationId, { messages: [{ idempotencyKey: "intrusion", content: [] }] }),
    gives: "conversation_not_found",
  },
  "inputs.renew": {
    call: (user, of) => user.inputs.renew(of.conversationId, `waiting: ${secret}`),
    gives: undefined,
  },
  "inputs.withdraw": {
    call: (user, of) => user.inputs.withdraw(of.conversationId, `waiting: ${secret}`),
    gives: false,
  },
  "inputs.listen": {
    call: async (user, of) => {
      const call = user.inputs.listen(of.conversationId, `waiting: ${secret}`);
      call?.end();
      return call?.isLive ?? false;
    },
    gives: false,
  },
  "inputs.abandoned": { call: (user, of) => user.inputs.abandoned(of.conversationId), gives: [] },
};
