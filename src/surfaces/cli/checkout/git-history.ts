// Adds the changes of memory to the git history of a checkout.
// Invariant: commits are only added to the branch `memory`; the files of the folder and other branches are not touched.
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { ConfigError } from "../../../base/errors.ts";
import { systemErrorCode } from "../../../base/thrown-values.ts";
import type { MemoryFile, MemoryFileChange } from "../runtime-records.ts";
import { conflictEnding, diskNames, indexName, stateFolder } from "./disk-names.ts";
import { contentOf } from "./file-texts.ts";

const branch = "refs/heads/memory";
/** The content of the file `.git/HEAD` while the branch `memory` is checked out. */
const head = `ref: ${branch}\n`;
const headFile = (folder: string): string => path.join(folder, ".git", "HEAD");

/** Creates the repository. Throws ConfigError if git is not installed. */
export async function createRepository(folder: string): Promise<void> {
  await git(folder, ["init", "--quiet"]);
  await writeFile(headFile(folder), head);
  // The files must contain the exact texts, even if the user has configured git to convert texts.
  await git(folder, ["config", "core.autocrlf", "false"]);
  await writeFile(path.join(folder, ".git", "info", "attributes"), "* -text -filter -ident\n");
  const own = [`/${stateFolder}/`, `/${indexName}`, `*${conflictEnding}`];
  await writeFile(path.join(folder, ".git", "info", "exclude"), `${own.join("\n")}\n`);
}

/** Returns the newest commit of the branch; an empty text if it has none. */
export async function tipOf(folder: string): Promise<string> {
  return (await tryGit(folder, ["rev-parse", "--verify", "--quiet", branch])).stdout.trim();
}

/** Resets git's index to the newest commit if the branch is checked out. Throws ConfigError. */
export async function resetIndex(folder: string): Promise<void> {
  if ((await readFile(headFile(folder), "utf8")) === head) await git(folder, ["reset", "--quiet"]);
}

interface History {
  readonly files: readonly MemoryFile[];
  /** The name of each file in the folder, by its path in memory. */
  readonly names: ReadonlyMap<string, string>;
  /** The newest commit of the branch, as `tipOf` returns it. */
  readonly tip: string;
}

/** Adds the changes as commits. Throws ConfigError. */
export async function addHistory(
  folder: string,
  changes: readonly MemoryFileChange[],
  { files, names, tip }: History,
): Promise<void> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const all = diskNames([...names.keys(), ...changes.map((change) => change.path)], names);
  const editOf = ({ path: file, text }: MemoryFileChange): string => {
    const meta = byPath.get(file) ?? { path: file, kind: "file" as const, description: null };
    const quoted = `"${all.get(file)!.replaceAll(/["\\]/gu, "\\$&")}"`;
    return text === null ? `D ${quoted}\n` : `M 100644 inline ${quoted}\n${data(contentOf(meta, text))}`;
  };
  const pieces = commitsOf(changes, byPath).map((group, at) => {
    const from = at === 0 && tip !== "" ? `from ${branch}^0\n` : "";
    const who = `${signature(group.at(-1)!)}\n`;
    const opening = `commit ${branch}\nauthor ${who}committer ${who}${data(messageOf(group))}${from}`;
    return `${opening}${group.map(editOf).join("")}\n`;
  });
  await git(folder, ["fast-import", "--quiet"], [...pieces, "done\n"].join(""));
}

/**
 * Groups the changes into commits. Each change of a module or skill is one commit. Consecutive changes of the archive by one
 * author on one day share a commit: otherwise git would store the list of all passages once for each passage.
 */
function commitsOf(
  changes: readonly MemoryFileChange[],
  files: ReadonlyMap<string, MemoryFile>,
): readonly (readonly MemoryFileChange[])[] {
  const keyOf = ({ path: file, by, at }: MemoryFileChange): string | null =>
    ["module", "skill"].includes(files.get(file)?.kind ?? "") ? null : `${at.toISOString().slice(0, 10)} ${by}`;
  const groups: MemoryFileChange[][] = [];
  for (const change of changes) {
    const last = groups.at(-1);
    const key = keyOf(change);
    if (last === undefined || key === null || keyOf(last[0]!) !== key) groups.push([change]);
    else last.push(change);
  }
  return groups;
}

function messageOf(group: readonly MemoryFileChange[]): string {
  const reasons = group.map(({ reason }) => reason);
  return reasons.length === 1 ? reasons[0]! : [`${reasons.length} changes of the archive`, ...reasons].join("\n\n");
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}

function signature({ by, at }: MemoryFileChange): string {
  const name = by.replaceAll(/[<>\p{Cc}]/gu, " ").trim() || "program";
  return `${name} <${name.replaceAll(/[^a-z0-9]+/giu, "-")}@palimpsest> ${Math.max(0, Math.floor(at.getTime() / 1000))} +0000`;
}

export interface LoggedCommit {
  readonly commit: string;
  readonly by: string;
  readonly at: string;
  readonly subject: string;
}

/** Returns the newest commits of the branch. */
export async function readLog(folder: string, limit: number): Promise<readonly LoggedCommit[]> {
  const format = "--format=%H%x1f%an%x1f%aI%x1f%s%x1e";
  const printed = await git(folder, ["log", `--max-count=${limit}`, format, branch, "--"]);
  return printed
    .split("\u001E")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      const [commit = "", by = "", at = "", subject = ""] = line.split("\u001F");
      return { commit, by, at, subject };
    });
}

interface GitEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function git(folder: string, args: readonly string[], input = ""): Promise<string> {
  const { code, stdout, stderr } = await tryGit(folder, args, input);
  if (code === 0) return stdout;
  throw new ConfigError(`git ${args[0]} failed in ${folder}: ${stderr.trim().slice(0, 500) || `exit code ${code}`}.`);
}

function tryGit(folder: string, args: readonly string[], input = ""): Promise<GitEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn("git", ["-C", folder, ...args], { windowsHide: true });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (piece: string) => (stdout += piece));
    child.stderr.setEncoding("utf8").on("data", (piece: string) => (stderr += piece));
    child.on("error", (cause) => reject(systemErrorCode(cause) === "ENOENT" ? missing(cause) : cause));
    child.on("close", (code) => resolve({ code, stdout, stderr }));
    // Ignores the error of writing to a git process that has ended early. Its exit code and stderr say why it ended.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

function missing(cause: unknown): ConfigError {
  return new ConfigError(
    "The program git was not found. Install it (git-scm.com): a checkout of memory keeps its history in a git repository.",
    { cause },
  );
}
