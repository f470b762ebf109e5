// The doctor's finding on a user and the agents of other users.
import type { UserStore } from "../../../src/store/port/store.ts";
import { userFindings } from "../../../src/runtime/doctor/user-findings.ts";
import { onlyEmbedder } from "../../support/only-embedder.ts";

it("names the used, offered and read-only agents, with their owners", async () => {
  const store = {
    userId: "ada",
    agents: {
      list: async () => [
        { name: "own", ownerId: "ada" },
        { name: "ben/scout", ownerId: "ben" },
      ],
      offers: async () => [{ name: "eve/x" }],
      former: async () => [{ name: "/y" }],
    },
    attachments: { count: async () => ({ missing: 0, due: 0 }) },
    conversations: { countUnfinished: async () => ({ conversations: 0, calls: 0 }) },
  } as unknown as UserStore;
  const findings = await userFindings(store, onlyEmbedder(null));
  expect(findings.find(({ check }) => check === "sharing")).toMatchObject({
    verdict: "ok",
    found: 'Agents of other users: "ada" uses ben/scout; is offered eve/x; can only read conversations with /y.',
  });
});
