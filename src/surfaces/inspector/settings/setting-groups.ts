// Lists the groups of settings in the order of the page, and searches them.
// Invariant: a search finds a setting by its label, its help and its name in the documentation.
import type { SettingEntry, SettingGroup } from "./setting-entry.ts";
import {
  memoryGroup,
  modelGroup,
  personGroup,
  rareMemory,
  rareTools,
  rareTurn,
  rareWindow,
  recordGroup,
  toolGroup,
  turnGroup,
  windowGroup,
} from "./setting-table.ts";

/** All settings of an agent. The compiler refuses the table if one of them is missing. */
export const settingTable: SettingGroup = {
  ...personGroup,
  ...modelGroup,
  ...memoryGroup,
  ...rareMemory,
  ...windowGroup,
  ...rareWindow,
  ...turnGroup,
  ...rareTurn,
  ...toolGroup,
  ...rareTools,
};

export interface NamedEntry extends SettingEntry {
  /** The name of the setting in the documentation, the configuration file and `/api`. */
  readonly name: string;
}

export interface NamedGroup {
  readonly title: string;
  readonly common: readonly NamedEntry[];
  /** Settings that few users change. */
  readonly rare: readonly NamedEntry[];
}

const { model, ...ofAgent } = recordGroup;

export const settingGroups: readonly NamedGroup[] = [
  { title: "Agent", common: named({ ...ofAgent, ...personGroup }), rare: [] },
  { title: "Model", common: named({ model, ...modelGroup }), rare: [] },
  { title: "Memory", common: named(memoryGroup), rare: named(rareMemory) },
  { title: "Window", common: named(windowGroup), rare: named(rareWindow) },
  { title: "Limits of a turn", common: named(turnGroup), rare: named(rareTurn) },
  { title: "Tools", common: named(toolGroup), rare: named(rareTools) },
];

function named(group: object): readonly NamedEntry[] {
  const entries = Object.entries(group) as readonly (readonly [string, SettingEntry])[];
  return entries.map(([name, entry]) => ({ ...entry, name }));
}

/** Whether an entry contains the words of a search. The words of its name count, too: `max steps` finds `maxSteps`. */
export function isFound({ label, help, name }: NamedEntry, words: string): boolean {
  const nameWords = name.replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`);
  return `${label} ${help} ${name} ${nameWords}`.toLowerCase().includes(words.trim().toLowerCase());
}
