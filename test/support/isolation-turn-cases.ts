// Every function of a user's store for turns as records, called by somebody else with this user's ids.
import { noTerms } from "../../src/store/port/turn-store.ts";
import type { PortCase } from "./isolation-source-cases.ts";

const range = { order: "newest", limit: 10 } as const;

export const turnCases: Readonly<Record<string, PortCase>> = {
  "turnRecords.list": {
    call: async (user, of) => [
      ...(await user.turnRecords.list({ ...range, agentId: of.agentId })).filter(({ id }) => id === of.turnId),
      ...(await user.turnRecords.list({ ...range, conversationId: of.conversationId })),
    ],
    gives: [],
  },
  "turnRecords.find": { call: (user, of) => user.turnRecords.find(of.turnId), gives: null },
  "turnRecords.update": {
    call: (user, of) => user.turnRecords.update(of.turnId, { isBackground: true }),
    gives: false,
  },
  "turnRecords.messages": { call: (user, of) => user.turnRecords.messages(of.turnId), gives: [] },
  "turnRecords.steps": {
    call: async (user, of) => [
      ...(await user.turnRecords.steps({ ...range, turnId: of.turnId })),
      ...(await user.turnRecords.steps({ ...range, conversationId: of.conversationId })),
    ],
    gives: [],
  },
  "unfinishedTurns.find": { call: (user, of) => user.unfinishedTurns.find(of.turnId), gives: null },
  "unfinishedTurns.input": {
    call: (user, of) => user.unfinishedTurns.input(of.conversationId, of.turnId),
    gives: null,
  },
  "unfinishedTurns.reopen": {
    call: (user, of) => user.unfinishedTurns.reopen(of.lease, { turnId: of.turnId, terms: noTerms, isContinued: true }),
    gives: 0,
  },
  "unfinishedTurns.list": { call: (user, of) => user.unfinishedTurns.list(of.conversationId), gives: [] },
  "unfinishedTurns.keepInputs": {
    call: (user, of) => user.unfinishedTurns.keepInputs(of.conversationId),
    gives: undefined,
  },
  "turnRecords.findStep": { call: (user, of) => user.turnRecords.findStep(of.stepId), gives: null },
};
