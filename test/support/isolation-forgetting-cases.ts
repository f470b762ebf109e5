// Every function of a user's store that forgets, called by somebody else with this user's texts and ids.
import type { ForgettingRequest, SearchedObjects } from "../../src/store/port/forgetting-store.ts";
import type { PortCase } from "./isolation-source-cases.ts";
import { secret } from "./isolation-scene.ts";
import { ids } from "./store-builders.ts";

const noObjects: SearchedObjects = { searched: { files: [], nodes: [] }, files: [], nodes: [] };
const requestedAt = new Date("2026-11-21T09:00:00Z");
const request: ForgettingRequest = { texts: [secret], messages: [], passages: [] };

export const forgettingCases: Readonly<Record<string, PortCase>> = {
  "forgetting.textsOf": [
    (user, of) => user.forgetting.textsOf({ texts: [], messages: [of.messageId], passages: [] }),
    "message_not_found",
  ],
  "forgetting.objects": [(user) => user.forgetting.objects(), { files: [], nodes: [] }],
  "forgetting.find": [(user) => user.forgetting.find(request, noObjects), []],
  "forgetting.apply": [
    (user, of) =>
      user.forgetting.apply({
        request: { ...request, passages: [of.passageId] },
        objects: noObjects,
        record: { id: ids.next(), origin: "user", requestedAt },
        pending: [],
      }),
    "passage_not_found",
  ],
  "forgetting.pending": [
    async (user) => (await user.forgetting.pending()).filter(({ texts }) => texts.includes(secret)),
    [],
  ],
  "forgetting.count": [(user) => user.forgetting.count(), 0],
  "forgetting.list": [async (user) => (await user.forgetting.list(9)).length > 1, false],
  "forgetting.defer": [(user) => user.forgetting.defer({ id: ids.next(), texts: ["tea"] }, "api"), undefined],
};
