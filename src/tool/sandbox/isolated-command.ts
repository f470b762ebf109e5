// Builds the command that starts the sandbox's Python in its own namespaces, with programs of util-linux.
// Invariant: when Python starts, only the files that the view lists exist, only files in /tmp are writable, and no
// privilege is left. If this cannot be set up, the command ends.
import { runnerPath } from "./sandbox-limits.ts";
import type { SystemView } from "./system-view.ts";

export interface IsolatedCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Returns the command. `userId`: for a process that root starts, a user id that no other process has, because the limit of
 * processes counts all processes of a user id. Null if another user starts the process, which then runs as that user in a
 * user namespace.
 */
export function isolatedCommand(view: SystemView, userId: number | null): IsolatedCommand {
  const namespaces = ["--net", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child=KILL"];
  const ownUser = userId === null ? ["--user", "--map-root-user"] : [];
  const identity = userId === null ? [] : ["--reuid", `${userId}`, "--regid", `${userId}`, "--clear-groups"];
  // The signal at the parent's death is set again, because a change of user clears it.
  const withoutPrivileges = ["--pdeathsig", "KILL", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"];
  const { setpriv, unshare } = view.programs;
  // `--pdeathsig` ends the sandbox when this process ends.
  const inNamespaces = ["--pdeathsig", "KILL", unshare, ...namespaces, ...ownUser];
  const setup = ["/bin/sh", "-c", setupScript(view), "sandbox"];
  const python = [view.python, "-I", "-S", runnerPath];
  return {
    command: setpriv,
    args: [...inNamespaces, ...setup, setpriv, ...identity, ...withoutPrivileges, ...python],
  };
}

/** Returns a script that creates the files of the sandbox on a file system in memory, and makes it the root folder. */
function setupScript({ root, links, paths, programs, fileTable }: SystemView): string {
  const at = (path: string): string => quoted(`${root}${path}`);
  const parents = [...links, ...paths.filter(({ isFolder }) => !isFolder)].map(({ path }) => parentOf(path));
  const folders = [...paths.filter(({ isFolder }) => isFolder).map(({ path }) => path), ...parents];
  const files = [...paths.filter(({ isFolder }) => !isFolder).map(({ path }) => path), runnerPath];
  const lines = [
    "set -e",
    "umask 022",
    // The kernel ends this process first if memory runs out.
    "echo 1000 > /proc/self/oom_score_adj",
    // Only root may set the host name; a failure is ignored, because isolation does not depend on the host name.
    "{ echo sandbox > /proc/sys/kernel/hostname; } 2>/dev/null || :",
    `mount -t tmpfs -o size=1m,mode=755,nosuid,nodev none ${quoted(root)}`,
    `mkdir -p ${["/tmp", "/old", "/proc", ...new Set(folders)].map(at).join(" ")}`,
    ...files.map((path) => `: > ${at(path)}`),
    ...links.map(({ path, target }) => `ln -s ${quoted(target)} ${at(path)}`),
    `mount -a -T ${quoted(fileTable)}`,
    `mount -o remount,ro,nosuid,nodev none ${quoted(root)}`,
    `cd ${quoted(root)}`,
    "pivot_root . old",
    `${quoted(programs.umount)} -l /old /proc`,
    "cd /tmp",
    "unset OLDPWD",
    'exec "$@"',
  ];
  return lines.join("\n");
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
