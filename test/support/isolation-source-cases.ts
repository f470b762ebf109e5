// Every function of a user's store for sources, called by somebody else with this user's ids.
import type { UserStore } from "../../src/store/port/store.ts";
import { type FilledTalk, secret } from "./isolation-scene.ts";
import { ids } from "./store-builders.ts";

/** A call, and what a stranger is given, or the code of the error. */
export type PortCase = readonly [call: (user: UserStore, of: FilledTalk) => Promise<unknown>, gives: unknown];

const noSource = "source_not_found";

const newSourceFile = () =>
  ({ id: ids.next(), path: secret, kind: "text", bytes: 1, sha256: "ab", loadedAt: new Date() }) as const;

export const sourceCases: Readonly<Record<string, PortCase>> = {
  "sources.ensure": [
    async (user, of) => {
      const made = await user.sources.ensure({ id: ids.next(), name: `${secret} ${of.sourceId}`, description: null });
      await user.sources.delete(made);
      return made === of.sourceId;
    },
    false,
  ],
  "sources.list": [(user) => user.sources.list(), []],
  "sources.find": [
    async (user, of) => [await user.sources.find(of.sourceId), await user.sources.find(`${secret} ${of.sourceId}`)],
    [null, null],
  ],
  "sources.create": [
    async (user, of) => {
      await user.sources.create({ id: of.sourceId, name: "eve's" });
      return user.sources.delete(of.sourceId);
    },
    true,
  ],
  "sources.update": [(user, of) => user.sources.update(of.sourceId, { name: secret }), noSource],
  "sources.delete": [(user, of) => user.sources.delete(of.sourceId), false],
  "sources.attach": [(user, of) => user.sources.attach(of.agentId, of.sourceId), "agent_not_found"],
  "sources.detach": [(user, of) => user.sources.detach(of.agentId, of.sourceId), false],
  "attachedFiles.list": [(user, of) => user.attachedFiles.list(of.agentId), []],
  "attachedFiles.holders": [(user, of) => user.attachedFiles.holders([of.agentId]), []],
  "attachedFiles.passages": [
    async (user, of) => {
      const [file] = await user.attachedFiles.list(of.agentId);
      return user.attachedFiles.passages(of.agentId, [{ id: file?.id ?? of.passageId, first: 1, last: 9 }]);
    },
    [],
  ],
  "attachedFiles.changeOpen": [
    (user, of) =>
      user.attachedFiles.changeOpen(of.agentId, (open) => [
        ...open,
        { fileId: of.passageId, from: 1, to: null, at: new Date() },
      ]),
    [],
  ],
  "attachedFiles.passagesAfter": [
    (user, of) =>
      user.attachedFiles.passagesAfter(of.agentId, { fileIds: [of.passageId, of.sourceId], after: null, limit: 10 }),
    [],
  ],
  "sourceFiles.list": [(user, of) => user.sourceFiles.list(of.sourceId), noSource],
  "sourceFiles.replace": [
    (user, of) => user.sourceFiles.replace(of.sourceId, { ...newSourceFile(), passages: [] }),
    noSource,
  ],
  "sourceFiles.fail": [
    (user, of) => user.sourceFiles.fail(of.sourceId, { ...newSourceFile(), reason: "it is empty" }),
    noSource,
  ],
  "sourceFiles.remove": [(user, of) => user.sourceFiles.remove(of.sourceId, [secret]), noSource],
};
