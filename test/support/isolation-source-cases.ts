// Every function of a user's store for sources, called by somebody else with this user's ids.
import type { UserStore } from "../../src/store/port/store.ts";
import { type FilledTalk, secret } from "./isolation-scene.ts";
import { ids } from "./store-builders.ts";

/** What a stranger is given, or the code of the error. */
export interface PortCase {
  readonly call: (user: UserStore, of: FilledTalk) => Promise<unknown>;
  readonly gives: unknown;
}

const noSource = "source_not_found";

function newSourceFile() {
  return { id: ids.next(), path: secret, kind: "text", bytes: 1, sha256: "ab", loadedAt: new Date() } as const;
}

export const sourceCases: Readonly<Record<string, PortCase>> = {
  "sources.ensure": {
    call: async (user, of) => {
      const made = await user.sources.ensure({ id: ids.next(), name: `${secret} ${of.sourceId}`, description: null });
      await user.sources.delete(made);
      return made === of.sourceId;
    },
    gives: false,
  },
  "sources.list": { call: (user) => user.sources.list(), gives: [] },
  "sources.find": {
    call: async (user, of) => [
      await user.sources.find(of.sourceId),
      await user.sources.find(`${secret} ${of.sourceId}`),
    ],
    gives: [null, null],
  },
  "sources.create": {
    call: async (user, of) => {
      await user.sources.create({ id: of.sourceId, name: "eve's" });
      return user.sources.delete(of.sourceId);
    },
    gives: true,
  },
  "sources.update": { call: (user, of) => user.sources.update(of.sourceId, { name: secret }), gives: noSource },
  "sources.delete": { call: (user, of) => user.sources.delete(of.sourceId), gives: false },
  "sources.attach": { call: (user, of) => user.sources.attach(of.agentId, of.sourceId), gives: "agent_not_found" },
  "sources.detach": { call: (user, of) => user.sources.detach(of.agentId, of.sourceId), gives: false },
  "attachedFiles.list": { call: (user, of) => user.attachedFiles.list(of.agentId), gives: [] },
  "attachedFiles.holders": { call: (user, of) => user.attachedFiles.holders([of.agentId]), gives: [] },
  "attachedFiles.passages": {
    call: async (user, of) => {
      const [file] = await user.attachedFiles.list(of.agentId);
      return user.attachedFiles.passages(of.agentId, [{ id: file?.id ?? of.passageId, first: 1, last: 9 }]);
    },
    gives: [],
  },
  "attachedFiles.changeOpen": {
    call: (user, of) =>
      user.attachedFiles.changeOpen(of.agentId, (open) => [
        ...open,
        { fileId: of.passageId, from: 1, to: null, at: new Date() },
      ]),
    gives: [],
  },
  "attachedFiles.passagesAfter": {
    call: (user, of) =>
      user.attachedFiles.passagesAfter(of.agentId, { fileIds: [of.passageId, of.sourceId], after: null, limit: 10 }),
    gives: [],
  },
  "sourceFiles.list": { call: (user, of) => user.sourceFiles.list(of.sourceId), gives: noSource },
  "sourceFiles.replace": {
    call: (user, of) => user.sourceFiles.replace(of.sourceId, { ...newSourceFile(), passages: [] }),
    gives: noSource,
  },
  "sourceFiles.fail": {
    call: (user, of) => user.sourceFiles.fail(of.sourceId, { ...newSourceFile(), reason: "it is empty" }),
    gives: noSource,
  },
  "sourceFiles.remove": { call: (user, of) => user.sourceFiles.remove(of.sourceId, [secret]), gives: noSource },
};
