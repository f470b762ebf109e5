// Every function of a user's store that forgets, called by somebody else with this user's texts and ids.
import type { ForgettingRequest, SearchedObjects } from "../../src/store/port/forgetting-store.ts";
import type { PortCase } from "./isolation-source-cases.ts";
import { secret } from "./isolation-scene.ts";
import { ids } from "./store-builders.ts";

const noObjects: SearchedObjects = { searched: { files: [], nodes: [] }, files: [], nodes: [] };
const requestedAt = new Date("2026-11-21T09:00:00Z");
const request: ForgettingRequest = { texts: [secret], messages: [], passages: [] };

export const forgettingCases: Readonly<Record<string, PortCase>> = {
  "forgetting.textsOf": {
    call: (user, of) => user.forgetting.textsOf({ texts: [], messages: [of.messageId], passages: [] }),
    gives: "message_not_found",
  },
  "forgetting.objects": { call: (user) => user.forgetting.objects(), gives: { files: [], nodes: [] } },
  "forgetting.find": { call: (user) => user.forgetting.find(request, noObjects), gives: [] },
  "forgetting.apply": {
    call: (user, of) =>
      user.forgetting.apply({
        request: { ...request, passages: [of.passageId] },
        objects: noObjects,
        record: { id: ids.next(), origin: "user", requestedAt },
        pending: [],
      }),
    gives: "passage_not_found",
  },
  "forgetting.pending": {
    call: async (user) => (await user.forgetting.pending()).filter(({ texts }) => texts.includes(secret)),
    gives: [],
  },
  "forgetting.count": { call: (user) => user.forgetting.count(), gives: 0 },
  "forgetting.list": { call: async (user) => (await user.forgetting.list(9)).length > 1, gives: false },
  "forgetting.defer": {
    call: (user) => user.forgetting.defer({ id: ids.next(), texts: ["tea"] }, "api"),
    gives: undefined,
  },
};
