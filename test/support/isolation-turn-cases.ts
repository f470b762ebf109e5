// Every function of a user's store for turns as records, called by somebody else with this user's ids.
import { noTerms } from "../../src/store/port/turn-store.ts";
import type { PortCase } from "./isolation-source-cases.ts";

const range = { order: "newest", limit: 10 } as const;

export const turnCases: Readonly<Record<string, PortCase>> = {
  "turnRecords.list": [
    async (user, of) => [
      ...(await user.turnRecords.list({ ...range, agentId: of.agentId })).filter(({ id }) => id === of.turnId),
      ...(await user.turnRecords.list({ ...range, conversationId: of.conversationId })),
    ],
    [],
  ],
  "turnRecords.find": [(user, of) => user.turnRecords.find(of.turnId), null],
  "turnRecords.update": [(user, of) => user.turnRecords.update(of.turnId, { isBackground: true }), false],
  "turnRecords.messages": [(user, of) => user.turnRecords.messages(of.turnId), []],
  "turnRecords.steps": [
    async (user, of) => [
      ...(await user.turnRecords.steps({ ...range, turnId: of.turnId })),
      ...(await user.turnRecords.steps({ ...range, conversationId: of.conversationId })),
    ],
    [],
  ],
  "unfinishedTurns.find": [(user, of) => user.unfinishedTurns.find(of.turnId), null],
  "unfinishedTurns.input": [(user, of) => user.unfinishedTurns.input(of.conversationId, of.turnId), null],
  "unfinishedTurns.reopen": [
    (user, of) => user.unfinishedTurns.reopen(of.lease, { turnId: of.turnId, terms: noTerms, isContinued: true }),
    0,
  ],
  "unfinishedTurns.list": [(user, of) => user.unfinishedTurns.list(of.conversationId), []],
  "unfinishedTurns.keepInputs": [(user, of) => user.unfinishedTurns.keepInputs(of.conversationId), undefined],
  "turnRecords.findStep": [(user, of) => user.turnRecords.findStep(of.stepId), null],
};
