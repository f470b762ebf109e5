// The mounts of the sandbox as a file for `mount -a`, which makes all of them in one process.
// Invariant: nothing but /tmp can be written.
import { runnerPath } from "./inside-paths.ts";
import type { SandboxLimits } from "./sandbox-limits.ts";

/** What is shown, under `root`. */
export interface ShownFiles {
  readonly root: string;
  readonly paths: readonly { readonly path: string }[];
  /** The program that reads and runs source code. */
  readonly runner: string;
}

/** Returns the lines of the file. */
export function fileTableOf({ root, paths, runner }: ShownFiles, { folderBytes }: SandboxLimits): string {
  const readOnly = [...paths.map(({ path }) => [path, path]), [runner, runnerPath]] as const;
  const lines = [
    ...readOnly.map(([from, to]) => `${escaped(from!)} ${escaped(`${root}${to}`)} none bind,ro,nosuid 0 0`),
    `none ${escaped(`${root}/tmp`)} tmpfs size=${folderBytes},nr_inodes=4096,mode=1777,nosuid,nodev 0 0`,
    // For umount alone, which reads it.
    `/proc ${escaped(`${root}/proc`)} none rbind 0 0`,
  ];
  return `${lines.join("\n")}\n`;
}

/** The file has octal numbers for what separates its words. */
function escaped(path: string): string {
  return path.replaceAll(/[\s\\#]/gu, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`);
}
