// Every function of a user's store for embedders, called by somebody else with this user's ids.
import type { VectorKind } from "../../src/store/port/embedder-store.ts";
import type { PortCase } from "./isolation-source-cases.ts";

/** What Ada's agents are searched by in the scene, and what they keep. */
const [searched, kept, other]: readonly VectorKind[] = [
  { embedder: "test", dimensions: 512 },
  { embedder: "kept", dimensions: 512 },
  { embedder: "other", dimensions: 512 },
];

export const embedderCases: Readonly<Record<string, PortCase>> = {
  "embedders.list": [
    async (user, of) => [await user.embedders.list(of.agentId), await user.embedders.list()],
    [[], []],
  ],
  "embedders.searched": [(user, of) => user.embedders.searched(of.agentId, "now"), undefined],
  "embedders.ofSource": [(user, of) => user.embedders.ofSource(of.sourceId), { kinds: [], usesDefault: true }],
  "embedders.coverage": [
    async (user, of) =>
      (await user.embedders.coverage(other!, [of.agentId])).filter(({ texts, missing }) => texts + missing > 0),
    [],
  ],
  "embedders.begin": [
    (user, of) => user.embedders.begin({ agentIds: [of.agentId], to: other!, otherwise: searched! }),
    "agent_not_found",
  ],
  "embedders.switch": [
    (user, of) => user.embedders.switch({ agentIds: [of.agentId], to: kept!, refused: [] }),
    { switched: [], missing: 0 },
  ],
  "embedders.rollBack": [(user, of) => user.embedders.rollBack([of.agentId]), []],
  "embedders.retire": [
    async (user, of) => [
      await user.embedders.retire([of.agentId], "kept"),
      await user.embedders.retire([of.agentId], "building"),
    ],
    [[], []],
  ],
  "embedders.drop": [(user) => user.embedders.drop(100), { deleted: 0, isDone: true }],
};
