// The settings of agents that are made up for tests: those that hold when nothing is configured.
import { configDefaults, configuredSettings } from "../../src/config/settings.ts";
import type { AgentSettings } from "../../src/store/port/records.ts";

export const fakeSettings: AgentSettings = {
  ...configuredSettings(configDefaults),
  timeZone: "UTC",
  removedTools: [],
  addedTools: [],
  toolRules: [],
};
