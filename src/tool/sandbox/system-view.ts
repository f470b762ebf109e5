// Finds the files of this machine that the sandbox needs: programs of util-linux, Python, and the system's libraries. The
// mounts are written to a file for `mount -a`, which makes all of them in one process.
// Invariant: every path of the view exists; none contains data of a user; only /tmp is writable.
import { execFile } from "node:child_process";
import { access, constants, lstat, mkdir, mkdtemp, readlink, realpath, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { packageRoot } from "../../base/package-root.ts";
import { ownChildren, runnerPath, type SandboxLimits, systemPath } from "./sandbox-limits.ts";

/** The files in the sandbox, which have the same paths as outside. */
export interface SystemView {
  /** The temporary folder of this sandbox, which contains `root` and `fileTable`; deleted when the sandbox is closed. */
  readonly folder: string;
  /** An empty folder, on which the sandbox's files are mounted. */
  readonly root: string;
  readonly python: string;
  /** Folders of installed packages. */
  readonly packages: readonly string[];
  readonly runner: string;
  /** The file with the mounts. */
  readonly fileTable: string;
  readonly programs: Readonly<Record<ProgramName, string>>;
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** The paths that are mounted read-only, parents first. */
  readonly paths: readonly { readonly path: string; readonly isFolder: boolean }[];
}

type ProgramName = (typeof programNames)[number];

const programNames = ["unshare", "setpriv", "mount", "umount", "pivot_root"] as const;

/**
 * The libraries of the system, time zones, and the devices that programs expect. /dev/zero is missing, because no limit counts
 * the memory that a program can map with it.
 */
const systemPaths = [
  "/lib",
  "/lib32",
  "/lib64",
  "/usr/lib",
  "/usr/lib32",
  "/usr/lib64",
  "/etc/ld.so.cache",
  "/usr/share/zoneinfo",
  "/dev/null",
  "/dev/urandom",
];

/** Returns what the sandbox needs from this machine. `python`: the command that starts Python. Throws MissingPart. */
export async function readSystemView(python: string, limits: SandboxLimits): Promise<SystemView> {
  if (process.platform !== "linux") throw new MissingPart(`Linux; this is ${process.platform}`);
  await access(ownChildren).catch((error: unknown) => {
    throw new MissingPart("a kernel that lists the children of a process (CONFIG_PROC_CHILDREN)", { cause: error });
  });
  const programs = await findPrograms();
  const { executable, packages, folders } = await readPython(python);
  const shown = [...systemPaths, ...folders, executable, programs.setpriv, programs.umount];
  const links: { path: string; target: string }[] = [];
  const paths: { path: string; isFolder: boolean }[] = [];
  for (const one of [...new Set(shown)].toSorted()) {
    const entry = await lstat(one).catch(() => null);
    if (entry === null || isInside(one, paths)) continue;
    if (entry.isSymbolicLink()) links.push({ path: one, target: await readlink(one) });
    else paths.push({ path: one, isFolder: entry.isDirectory() });
  }
  const folder = await mkdtemp(path.join(os.tmpdir(), "palimpsest-sandbox-"));
  const root = path.join(folder, "root");
  const runner = path.join(packageRoot(), "src", "tool", "sandbox", "runner.py");
  const view = { folder, root, python: executable, packages, runner, programs, links, paths };
  const fileTable = path.join(folder, "fstab");
  await mkdir(root);
  await writeFile(fileTable, fileTableOf(view, limits));
  return { ...view, fileTable };
}

/** The error for something that this machine does not have. The message completes a sentence that ends with "needs". */
export class MissingPart extends Error {}

function isInside(one: string, folders: SystemView["paths"]): boolean {
  return folders.some(({ path: folder, isFolder }) => isFolder && one.startsWith(`${folder}/`));
}

async function findPrograms(): Promise<Record<ProgramName, string>> {
  const found: [ProgramName, string | null][] = [];
  for (const name of programNames) found.push([name, await findProgram(name)]);
  const missing = found.filter(([, file]) => file === null).map(([name]) => name);
  if (missing.length > 0) throw new MissingPart(`the programs of util-linux, and lacks ${missing.join(", ")}`);
  return Object.fromEntries(found) as Record<ProgramName, string>;
}

/** Returns the resolved path of a program, because a link may point outside the sandbox; null if there is no program. */
async function findProgram(name: string): Promise<string | null> {
  for (const folder of systemPath.split(":")) {
    const file = path.join(folder, name);
    const isProgram = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isProgram) return realpath(file);
  }
  return null;
}

interface PythonFacts {
  readonly executable: string;
  /** The standard library and installed packages. */
  readonly folders: readonly string[];
  readonly packages: readonly string[];
}

/** A program that prints facts about the Python that runs it, because `python3` may be a script that chooses a version. */
const factsProgram = `
import json, os, sys, sysconfig
paths = sysconfig.get_paths()
packages = [paths["purelib"], paths["platlib"]]
library = [sysconfig.get_config_var("LIBDIR")] if sys.base_prefix != "/usr" else []
folders = [paths["stdlib"], paths["platstdlib"], *packages, *library]
print(json.dumps({"version": sys.version_info[:2], "executable": os.path.realpath(sys.executable),
  "folders": [os.path.realpath(one) for one in folders if one], "packages": [os.path.realpath(one) for one in packages]}))
`;

async function readPython(command: string): Promise<PythonFacts> {
  const written = await outputOf(command, ["-I", "-c", factsProgram]).catch((error: unknown) => {
    throw new MissingPart(`a \`${command}\` that can be started`, { cause: error });
  });
  const { version, ...facts } = JSON.parse(written) as PythonFacts & { readonly version: readonly [number, number] };
  const [major, minor] = version;
  if (major !== 3 || minor < 9) {
    throw new MissingPart(`Python 3.9 or later, and \`${command}\` is ${major}.${minor}`);
  }
  return facts;
}

function outputOf(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { timeout: 20_000 }, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(new MissingPart(error.message, { cause: error }));
    });
  });
}

/** The files that are mounted under `root`. */
interface ShownFiles {
  readonly root: string;
  readonly paths: readonly { readonly path: string }[];
  /** The program that reads and runs source code. */
  readonly runner: string;
}

/** Returns the lines of the file for `mount -a`. */
function fileTableOf({ root, paths, runner }: ShownFiles, { folderBytes }: SandboxLimits): string {
  const readOnly = [...paths.map(({ path }) => [path, path]), [runner, runnerPath]] as const;
  const lines = [
    ...readOnly.map(([from, to]) => `${escaped(from!)} ${escaped(`${root}${to}`)} none bind,ro,nosuid 0 0`),
    `none ${escaped(`${root}/tmp`)} tmpfs size=${folderBytes},nr_inodes=4096,mode=1777,nosuid,nodev 0 0`,
    // /proc is mounted only for umount, which reads it.
    `/proc ${escaped(`${root}/proc`)} none rbind 0 0`,
  ];
  return `${lines.join("\n")}\n`;
}

/** Returns a path with octal escapes for the characters that would separate words in the file of mounts. */
function escaped(path: string): string {
  return path.replaceAll(/[\s\\#]/gu, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`);
}
