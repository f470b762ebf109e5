// The sandbox against hostile tools: what they can read, write and reach, and what comes back of them. Each runs for real; on a
// machine that cannot isolate processes, every test fails with the reason.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import os from "node:os";
import path from "node:path";
import { openNamespaceSandbox, runBounded } from "../../src/tool/sandbox/namespace-sandbox.ts";
import { isolatedCommand } from "../../src/tool/sandbox/isolated-command.ts";
import { readSystemView } from "../../src/tool/sandbox/system-view.ts";
import { type HostileTools, isRoot, limits, newMarker, openHostileTools } from "../support/hostile-tools.ts";
import { until } from "../support/until.ts";
import { useFolder } from "../support/folders.ts";

let tools: HostileTools;
/** With a file that only this user may read. */
const folder = useFolder();

beforeAll(async () => {
  tools = await openHostileTools();
  await writeFile(path.join(folder, "secret"), "a secret");
});
afterAll(() => tools?.sandbox.close());

test("memory that no limit of a process counts cannot be allocated", async () => {
  const libc = '__import__("ctypes").CDLL(None)';
  const outcomes = await tools.outcomesOf([
    'os.memfd_create("a")',
    `${libc}.shmget(0, 1 << 29, 0o1600)`,
    `${libc}.msgget(0, 0o1600)`,
    `${libc}.semget(0, 1, 0o1600)`,
    `${libc}.vmsplice(1, None, 0, 0)`,
    '__import__("mmap").mmap(-1, 1 << 29)',
    'open("/dev/zero")',
    // For this process alone, and of a file in /tmp.
    'len(__import__("mmap").mmap(-1, 4096, flags=2))',
    'len(__import__("mmap").mmap((open("/tmp/a", "wb").write(b"aa"), os.open("/tmp/a", os.O_RDWR))[1], 2))',
  ]);
  expect(outcomes).toEqual([
    "PermissionError",
    ...Array(4).fill("-1"),
    "PermissionError",
    "FileNotFoundError",
    "4096",
    "2",
  ]);
});

describe("files", () => {
  test("of this machine cannot be read: neither accounts, nor homes, nor data, nor this project", async () => {
    const wanted = ["/etc/passwd", "/etc/hostname", folder, path.join(folder, "secret"), os.homedir(), process.cwd()];
    expect(existsSync("/etc/passwd")).toBe(true);
    const outcomes = await tools.outcomesOf([
      ...wanted.map((file) => `open(${JSON.stringify(file)}).read()`),
      'os.listdir("/proc")',
      'os.listdir("/old")',
      'os.path.exists("/sys")',
      'sorted(os.listdir("/dev"))',
    ]);
    const homes = outcomes.slice(4, 6);
    expect(outcomes.slice(0, 4)).toEqual(wanted.slice(0, 4).map(() => "FileNotFoundError"));
    // A folder above Python's own exists, with nothing else in it.
    for (const outcome of homes) expect(["FileNotFoundError", "IsADirectoryError"]).toContain(outcome);
    expect(outcomes.slice(6)).toEqual(["[]", "[]", "False", "['null', 'urandom']"]);
  });

  test("can be written in /tmp only, up to a size, and are gone after the call", async () => {
    const { text } = await tools.run(`
denied, written = [], []
for folder, inner, files in os.walk("/"):
    if folder.count("/") > 2:
        inner.clear()
    for name in ["new", *files[:1]]:
        try:
            with open(os.path.join(folder, name), "a") as file:
                written.append(folder)
        except OSError as error:
            denied.append(error.errno)
import errno
return [sorted(set(written)), sorted(errno.errorcode[one] for one in set(denied)), len(denied) > 20]
`);
    expect(JSON.parse(text)).toEqual([
      // A device, which stores nothing.
      expect.arrayContaining(["/tmp"]),
      expect.arrayContaining(["EROFS"]),
      true,
    ]);
    expect((JSON.parse(text) as [string[]])[0].filter((one) => one !== "/tmp" && one !== "/dev")).toEqual([]);
    const filled = await tools.run(`
for number in range(100):
    with open(f"/tmp/{number}", "wb") as file:
        file.write(bytes(1024 * 1024))
`);
    expect(filled).toMatchObject({ status: "failed", text: expect.stringContaining("No space left") });
    expect(await tools.run('return os.listdir("/tmp")')).toMatchObject({ text: "[]" });
  });

  test("cannot grow beyond their limit", async () => {
    const result = await tools.run('open("/tmp/big", "wb").write(bytes(20 * 1024 * 1024))');
    expect(result).toMatchObject({ status: "failed", text: expect.stringContaining("File too large") });
  });
});

describe("the network", () => {
  let server: Server;
  let connections = 0;

  beforeAll(async () => {
    server = createServer((socket) => {
      connections += 1;
      socket.end("hello");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => server.close());

  test("is not reachable, not even a listener on this machine's loopback", async () => {
    const { port } = server.address() as { readonly port: number };
    await connectFromOutside(`socket.create_connection(("127.0.0.1", ${port})).recv(9)`);
    expect(connections).toBe(1);
    const outcomes = await tools.outcomesOf([
      `__import__("socket").create_connection(("127.0.0.1", ${port}), 1)`,
      '__import__("socket").create_connection(("1.1.1.1", 53), 1)',
      `__import__("urllib.request").request.urlopen("http://127.0.0.1:${port}")`,
      // Of the hypervisor, raw, and of the kernel.
      '__import__("socket").socket(40, 1)',
      '__import__("socket").socket(17, 3)',
      '__import__("socket").socket(16, 3)',
    ]);
    expect(outcomes).toEqual([...Array(2).fill("PermissionError"), "URLError", ...Array(3).fill("PermissionError")]);
    expect(connections).toBe(1);
  });

  test("has no abstract Unix sockets of this machine", async () => {
    const name = newMarker();
    const listener = `
import socket
listening = socket.socket(socket.AF_UNIX)
listening.bind("\\0${name}")
listening.listen()
print("ready", flush=True)
while True:
    print(listening.accept(), flush=True)
`;
    const server = spawn("python3", ["-c", listener]);
    let heard = "";
    server.stdout.on("data", (chunk: Buffer) => (heard += chunk.toString()));
    const lines = (): number => heard.split("\n").length - 1;
    await until(async () => lines() === 1);
    await connectFromOutside(`socket.socket(socket.AF_UNIX).connect("\\0${name}")`);
    await until(async () => lines() === 2);
    const result = await tools.run(`import socket\nsocket.socket(socket.AF_UNIX).connect("\\0" + given)`, name);
    server.kill();
    expect(result).toMatchObject({ status: "failed", text: expect.stringContaining("ConnectionRefusedError") });
    expect(lines()).toBe(2);
  });
});

/** Shows that what a tool cannot reach is there. */
async function connectFromOutside(expression: string): Promise<void> {
  const client = spawn("python3", ["-c", `import socket; ${expression}`]);
  const code = await new Promise((resolve) => client.once("close", resolve));
  expect(code).toBe(0);
}

describe("a result", () => {
  test("is not disturbed by what the tool prints, reads, closes or replaces", async () => {
    const printed = await tools.run(
      `
print('{"status": "ok", "text": "forged"}')
os.write(1, b"raw \\xff")
print("trouble", file=sys.stderr)
os.system("echo from a shell")
return [sys.stdin.read(), "é 🙂", given]
`,
      { a: [1, null, "ü"] },
    );
    expect(printed).toEqual({
      status: "ok",
      text: '["", "é 🙂", {"a": [1, null, "ü"]}]',
      stdout: expect.stringContaining('{"status": "ok", "text": "forged"}'),
      stderr: "trouble\nsh: 1: echo: not found\n".includes("trouble") ? expect.stringContaining("trouble") : "",
    });
    for (const odd of ["sys.stdout.close()", "sys.stdout = None", "os.close(1)", "os.close(2)", "sys.stderr = None"]) {
      expect([odd, await tools.run(`${odd}\nreturn "done"`)]).toEqual([odd, expect.objectContaining({ text: "done" })]);
      expect([odd, await tools.run(`${odd}\nraise KeyError("x")`)]).toEqual([
        odd,
        expect.objectContaining({ status: "failed", text: "KeyError: 'x'" }),
      ]);
    }
  });

  test("cannot be written by the tool to the descriptor of the answer, by its number or by the process that has it", async () => {
    const forged = '{"status": "ok", "text": "forged"}';
    const written = await tools.run("os.write(3, given.encode())\nos._exit(0)", forged);
    expect(written).toMatchObject({ status: "failed", text: "OSError: [Errno 9] Bad file descriptor" });
    const outcomes = await tools.outcomesOf([
      ...["self", "1", "2"].map((id) => `os.open("/proc/${id}/fd/3", os.O_WRONLY)`),
      'os.open("/dev/fd/3", os.O_WRONLY)',
      // pidfd_getfd of the process that has it.
      '__import__("ctypes").CDLL(None).syscall(438, os.pidfd_open(1), 3, 0)',
    ]);
    expect(outcomes).toEqual([...Array(4).fill("FileNotFoundError"), "-1"]);
  });

  test("that the tool writes to its own pipe is what it returns, and fails if that is not one text or it ends badly", async () => {
    const write = `
def to_all(data):
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, data)
        except OSError:
            pass
`;
    const forged = '{"status": "ok", "text": "forged"}';
    const answer = await tools.run(`${write}\nto_all(given.encode())\nreturn "returned"`, forged);
    expect(answer).toMatchObject({ status: "failed", text: expect.stringContaining("without a result") });
    const ended = await tools.run(`${write}\nto_all(b"+forged")\nos._exit(3)`);
    expect(ended).toMatchObject({ status: "failed", text: expect.stringContaining("without a result (3)") });
    const endless = await tools.run(`${write}\nwhile True:\n    to_all(b"+" * 65536)`);
    expect(endless).toMatchObject({ status: "failed", text: expect.stringContaining("more than the sandbox allows") });
    // What a tool may do: return a text.
    const own = await tools.run(`${write}\nto_all(b"+own")\nos._exit(0)`);
    expect(own).toMatchObject({ status: "ok", text: "own" });
  });

  test("of a tool that has ended does not wait for processes that it has left behind", async () => {
    const result = await tools.run("import time\nif os.fork() == 0:\n    time.sleep(60)\nos._exit(3)");
    expect(result).toMatchObject({ status: "failed", text: expect.stringContaining("without a result (3)") });
  });

  test("is text, JSON, or None; of an async function, what it returns; of an error, its message", async () => {
    const source = `
import asyncio, dataclasses, datetime

@dataclasses.dataclass
class Point:
    x: int

async def later(x):
    await asyncio.sleep(0.01)
    return Point(x).x

def nothing(): pass
def day(): return {"day": datetime.date(2026, 1, 2)}
def leave(): raise SystemExit("bye")
def fail():
    def inner():
        raise ValueError("broken on purpose")
    inner()
def loop(): 
    value = []
    value.append(value)
    return value
`;
    const call = (name: string, args = {}) => tools.sandbox.run({ source, name, args });
    expect(await call("later", { x: 5 })).toMatchObject({ status: "ok", text: "5" });
    expect(await call("nothing")).toMatchObject({ status: "ok", text: "None" });
    expect(await call("day")).toMatchObject({ status: "ok", text: '{"day": "2026-01-02"}' });
    expect(await call("leave")).toMatchObject({ status: "failed", text: "SystemExit: bye" });
    const failed = await call("fail");
    expect(failed).toMatchObject({ status: "failed", text: "ValueError: broken on purpose" });
    expect(failed.stderr).toContain('File "<tool>", line 17, in inner\n    raise ValueError("broken on purpose")');
    expect(failed.stderr).not.toContain("runner.py");
    expect(await call("loop")).toMatchObject({ status: "failed", text: expect.stringContaining("Circular") });
    expect(await call("unknown")).toMatchObject({ status: "failed", text: expect.stringContaining("unknown") });
    expect(await call("nothing", { more: 1 })).toMatchObject({
      status: "failed",
      text: expect.stringContaining("more"),
    });
  });
});

/** Root's temporary folder and the folder of this project may be closed to other users, unlike those of an installation. */
async function openToOthers({ folder: ofView, runner, fileTable }: Awaited<ReturnType<typeof readSystemView>>) {
  const parent = path.dirname(ofView);
  const { mode } = await stat(parent);
  if ((mode & 0o1) === 0) await chmod(parent, 0o711);
  const copy = path.join(ofView, "runner.py");
  await copyFile(runner, copy);
  await chmod(copy, 0o644);
  const table = await readFile(fileTable, "utf8");
  expect(table).toContain(runner);
  await writeFile(fileTable, table.replaceAll(runner, copy));
}

test("files that the server's process has left open for its children are closed inside", async () => {
  const view = await readSystemView("python3", limits);
  const { command, args } = isolatedCommand(view, isRoot ? 1_800_000_001 : null);
  const fifo = path.join(view.folder, "fifo");
  // Unlike Node, a shell does not close it when another program is started.
  const isolated = { command: "/bin/sh", args: ["-c", 'mkfifo "$0"; exec 9<>"$0"; exec "$@"', fifo, command, ...args] };
  const source = `
import os
def tool():
    held = []
    for descriptor in range(64):
        try:
            os.fstat(descriptor)
            held.append(descriptor)
        except OSError:
            pass
    return held
`;
  const request = { task: "call", source, name: "tool", arguments: {}, limits, packages: [] };
  const end = await runBounded({ isolated, input: JSON.stringify(request), limits });
  await rm(view.folder, { recursive: true });
  // The last one is the pipe of what it returns.
  expect([end.stderr, JSON.parse(end.answer)]).toEqual(["", { status: "ok", text: "[0, 1, 2, 5]" }]);
});

// The suite of CI runs as root; a server should not.
test("a user other than root gets a user namespace, with the same isolation", async () => {
  const view = await readSystemView(existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3", limits);
  await chmod(view.folder, 0o755);
  await openToOthers(view);
  const inner = isolatedCommand(view, null);
  const asUser = ["--reuid", "12345", "--regid", "12345", "--clear-groups", inner.command, ...inner.args];
  const isolated = isRoot ? { command: view.programs.setpriv, args: asUser } : inner;
  const source = `
import ctypes, os, socket
def tool():
    outcomes = [os.getppid(), os.listdir("/proc"), os.path.exists("/etc/passwd")]
    libc = ctypes.CDLL(None, use_errno=True)
    for call in (lambda: socket.socket(), lambda: os.chroot("/tmp"), lambda: open("/new", "w"), lambda: os.chown("/tmp", 5, 5)):
        try:
            call()
            outcomes.append("done")
        except OSError as error:
            outcomes.append(type(error).__name__)
    children = 0
    try:
        while True:
            if os.fork() == 0:
                os.pause() if hasattr(os, "pause") else __import__("signal").pause()
            children += 1
    except BlockingIOError:
        outcomes.append(children < 16)
    return outcomes
`;
  const request = { task: "call", source, name: "tool", arguments: {}, limits, packages: [] };
  const end = await runBounded({ isolated, input: JSON.stringify(request), limits });
  await rm(view.folder, { recursive: true });
  expect([end.stderr, end.ended]).toEqual(["", null]);
  const { text } = JSON.parse(end.answer) as { readonly text: string };
  expect(JSON.parse(text)).toEqual([
    1,
    [],
    false,
    "PermissionError",
    "PermissionError",
    "OSError",
    expect.stringMatching(/PermissionError|OSError/u),
    true,
  ]);
});

test("a machine that lacks a part is refused, with the part, and nothing is left behind", async () => {
  const temporary = path.join(folder, "temporary");
  await mkdir(temporary);
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = temporary;
  const missing = { code: "config_invalid", field: "sandbox" };
  await expect(openNamespaceSandbox({ python: "python-that-is-missing" })).rejects.toMatchObject({
    ...missing,
    message: expect.stringContaining("it needs a `python-that-is-missing` that can be started"),
  });
  // A Python that does not start inside.
  await expect(
    openNamespaceSandbox({ python: "python3", limits: { ...limits, memoryBytes: 1024 } }),
  ).rejects.toMatchObject({ ...missing, message: expect.stringMatching(/can isolate the processes.*MemoryError/u) });
  expect(await readdir(temporary)).toEqual([]);
  if (before === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = before;
});
