// The filters of an archival search.
// Invariant: an invalid value throws a ConfigError before anything is opened.
import { ConfigError } from "../../../base/errors.ts";
import { dayFlags } from "./day-flag.ts";
import { shareFlag } from "./number-flag.ts";
import type { CommandLine } from "./parse-command-line.ts";
import type { ArchivalOptions } from "../runtime-records.ts";

type Kind = NonNullable<ArchivalOptions["kinds"]>[number];

const kinds: readonly Kind[] = ["memory", "fact", "document"];

/** `--tag`, `--all-tags`, `--kind`, `--source`, `--since`, `--until` and `--min-importance`. Throws ConfigError. */
export function passageFilter(line: CommandLine): ArchivalOptions {
  const { tag = [], kind = [], source = [] } = line.lists;
  if (line.switches.has("all-tags") && tag.length === 0) {
    throw new ConfigError("--all-tags needs tags, as in --tag boat --tag sea.");
  }
  const minImportance = shareFlag(line, "min-importance");
  return {
    ...(tag.length === 0 ? {} : { [line.switches.has("all-tags") ? "allTags" : "tags"]: tag }),
    ...(kind.length === 0 ? {} : { kinds: kind.map(kindOf) }),
    ...(source.length === 0 ? {} : { sources: source }),
    ...dayFlags(line),
    ...(minImportance === undefined ? {} : { minImportance }),
  };
}

function kindOf(text: string): Kind {
  const found = kinds.find((kind) => kind === text);
  if (found !== undefined) return found;
  throw new ConfigError(`--kind: expected ${kinds.join(", ")}, got "${text}".`);
}
