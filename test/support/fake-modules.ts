// Operations on modules: nobody else holds one, and the changes are those that no front end under test makes.
import type { SharedModule } from "../../src/store/port/shared-module-store.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { refusing } from "./fake-mcp.ts";

const at = new Date("2026-11-21T10:13:01.000Z");

/** A module of another user that may be appended to. */
export const sharedModule = (more: Partial<SharedModule> = {}): SharedModule => ({
  id: "module",
  ownerId: "ada",
  label: "human",
  description: null,
  value: "Name: Ada",
  limit: 2000,
  readOnly: false,
  revision: 1,
  trust: "external",
  access: "append",
  tags: [],
  metadata: {},
  createdAt: at,
  updatedAt: at,
  ...more,
});

export const fakeModules = (): Runtime["modules"] =>
  refusing("modules", {
    find: async (id) => sharedModule({ id }),
    holders: async () => [],
    recipients: async () => [],
  });
