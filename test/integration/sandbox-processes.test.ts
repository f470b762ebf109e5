// The processes of hostile tools: what they see and may do, what they use up, and what they leave behind. Each runs for real; on
// a machine that cannot isolate processes, every test fails with the reason.
import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { isolatedCommand } from "../../src/tool/sandbox/isolated-command.ts";
import { sandboxLimits } from "../../src/tool/sandbox/sandbox-limits.ts";
import { readSystemView } from "../../src/tool/sandbox/system-view.ts";
import {
  type HostileTools,
  isRoot,
  limits,
  newMarker,
  openHostileTools,
  processesWith,
} from "../support/hostile-tools.ts";
import { until } from "../support/until.ts";

let tools: HostileTools;

beforeAll(async () => (tools = await openHostileTools()));
afterAll(() => tools?.sandbox.close());

describe("processes", () => {
  test("see neither this process's environment nor other processes, and have no privileges", async () => {
    process.env["SANDBOX_TEST_SECRET"] = "a secret";
    const outcomes = await tools.outcomesOf([
      "sorted(os.environ)",
      "os.getppid()",
      `os.kill(${process.pid}, 9)`,
      "os.kill(2, 9)",
      "os.setuid(0) or os.getuid() == 0",
      "os.setgroups([0])",
      "os.chroot('/tmp')",
      "os.nice(-5)",
      "os.uname().nodename",
    ]);
    delete process.env["SANDBOX_TEST_SECRET"];
    expect(outcomes).toEqual([
      "['HOME', 'LC_ALL', 'PATH', 'PWD']",
      "1",
      "ProcessLookupError",
      "ProcessLookupError",
      // In a user namespace, the user's own number is 0.
      isRoot ? "PermissionError" : "True",
      "PermissionError",
      "PermissionError",
      "PermissionError",
      "'sandbox'",
    ]);
  });

  test("cannot create namespaces, mount, trace, or use the kernel's keys", async () => {
    const { text } = await tools.run(
      `
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
calls = {
    "unshare": lambda: libc.unshare(0x10000000),
    "mount": lambda: libc.mount(b"none", b"/tmp", b"tmpfs", 0, None),
    "umount": lambda: libc.umount2(b"/tmp", 0),
    "ptrace": lambda: libc.ptrace(0, 0, 0, 0),
    "setns": lambda: libc.setns(0, 0),
    "clone": lambda: libc.clone(ctypes.cast(libc.exit, ctypes.c_void_p), ctypes.c_void_p(ctypes.addressof(stack) + 65536), 0x10000000, None),
    "keyctl": lambda: libc.syscall(given["keyctl"], 0, -4, 0),
    "bpf": lambda: libc.syscall(given["bpf"], 0, 0, 0),
    "userfaultfd": lambda: libc.syscall(given["userfaultfd"], 0),
}
stack = ctypes.create_string_buffer(65536)
return {name: (call(), ctypes.get_errno())[1] for name, call in calls.items()}
`,
      process.arch === "x64"
        ? { keyctl: 250, bpf: 321, userfaultfd: 323 }
        : { keyctl: 219, bpf: 280, userfaultfd: 282 },
    );
    const refused = JSON.parse(text) as Record<string, number>;
    expect(refused).toEqual(Object.fromEntries(Object.keys(refused).map((name) => [name, 1])));
    expect(Object.keys(refused)).toHaveLength(9);
  });

  test("cannot kill what started them, and end as a whole", async () => {
    const result = await tools.run("os.kill(1, 9)\nos.kill(0, 15)\nos.kill(-1, 9)\nreturn 'still here'");
    expect(result).toMatchObject({
      status: "failed",
      text: expect.stringMatching(/ProcessLookupError|without a result/u),
    });
    expect(await tools.run("os._exit(3)")).toMatchObject({
      status: "failed",
      text: expect.stringContaining("without a result (3)"),
    });
    expect(await tools.run("import ctypes\nctypes.string_at(0)")).toMatchObject({
      status: "failed",
      text: expect.stringContaining("without a result"),
    });
  });

  test("are limited in number, and a fork bomb leaves room for the calls of others", async () => {
    const bomb = tools.run(`
import time
children = 0
while True:
    try:
        if os.fork() == 0:
            time.sleep(60)
        children += 1
    except BlockingIOError:
        return children
`);
    const others = await Promise.all([1, 2, 3].map((number) => tools.run("return given", `${number}`)));
    expect(others).toMatchObject([{ text: "1" }, { text: "2" }, { text: "3" }]);
    const { status, text } = await bomb;
    expect([status, Number(text) < limits.processes]).toEqual(["ok", true]);
    const endless = await tools.run("while True:\n    try:\n        os.fork()\n    except OSError:\n        pass");
    expect(endless).toMatchObject({
      status: "failed",
      text: expect.stringMatching(/longer than 3 seconds|without a result/u),
    });
  });

  test("that are left behind end with the call", async () => {
    const marker = newMarker();
    const result = await tools.run(
      `
import time
if os.fork() == 0:
    try:
        os.setsid()
    except PermissionError:
        pass
    if os.fork() == 0:
        # With its outputs open.
        code = "import time; open('/tmp/ready', 'w').close(); time.sleep(60)"
        os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", code, given])
    os._exit(0)
while not os.path.exists("/tmp/ready"):
    time.sleep(0.01)
return "done"
`,
      marker,
    );
    expect(result).toMatchObject({ status: "ok", text: "done" });
    expect(await processesWith(marker)).toEqual([]);
  });

  test("cannot leave the group that is killed at the time limit", async () => {
    const marker = newMarker();
    const result = await tools.run(
      `
import ctypes, time
libc = ctypes.CDLL(None, use_errno=True)
for leave in (os.setsid, lambda: os.setpgid(0, 0), lambda: libc.prctl(1, 0, 0, 0, 0) and os.kill(2, 0)):
    try:
        leave()
        print("left")
    except OSError as error:
        print(type(error).__name__)
sys.stdout.flush()
code = "import time; time.sleep(60)"
os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", code, given])
`,
      marker,
    );
    expect(result.text).toContain("longer than 3 seconds");
    expect(result.stdout).toBe("PermissionError\nPermissionError\nProcessLookupError\n");
    expect(await processesWith(marker)).toEqual([]);
  });

  test("end when the call is aborted, and the call throws the signal's reason", async () => {
    const marker = newMarker();
    const controller = new AbortController();
    const code = "import time; time.sleep(60)";
    const call = tools.run(
      `import subprocess\nsubprocess.run([sys.executable, "-I", "-S", "-c", "${code}", given])`,
      marker,
      controller.signal,
    );
    const caught = call.catch((error: unknown) => error);
    await until(async () => (await processesWith(marker)).length > 0);
    controller.abort(new Error("no longer wanted"));
    expect(await caught).toEqual(new Error("no longer wanted"));
    expect(await processesWith(marker)).toEqual([]);
  });

  test("end when the process that started them is killed", async () => {
    const view = await readSystemView("python3", limits);
    const marker = newMarker();
    const { command, args } = isolatedCommand(view, isRoot ? 1_800_000_000 : null);
    const code = `import time; time.sleep(60) # ${marker}`;
    const sleeping = [...args.slice(0, -1), "-c", code];
    // A shell that stays their parent.
    const parent = spawn("/bin/sh", ["-c", '"$@" & wait', "sh", command, ...sleeping], { stdio: "ignore" });
    await until(async () => (await processesWith(marker)).some((line) => line.startsWith(view.python)));
    parent.kill("SIGKILL");
    await until(async () => (await processesWith(marker)).length === 0);
    await rm(view.folder, { recursive: true });
  });
});

describe("time, memory and output", () => {
  test("an endless loop and an endless sleep end at the time limit", async () => {
    const [loop, sleep] = await Promise.all([
      tools.run("while True:\n    pass"),
      tools.run("import time\ntime.sleep(1000)"),
    ]);
    expect(sleep).toMatchObject({ status: "failed", text: "the code took longer than 3 seconds and was ended" });
    expect(loop).toMatchObject({ status: "failed", text: expect.stringMatching(/longer than 3 seconds|SIGKILL|137/u) });
  });

  test("an allocation of 10 GB fails in the tool alone", async () => {
    const before = process.memoryUsage().rss;
    expect(await tools.run("return len(bytearray(10 * 1024 ** 3))")).toMatchObject({
      status: "failed",
      text: "MemoryError",
    });
    expect(await tools.run("kept = []\nwhile True:\n    kept.append(bytearray(1024 ** 2))")).toMatchObject({
      status: "failed",
      text: "MemoryError",
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });

  test("processes that together take more memory than the limit end, each far below its own limit", async () => {
    const residentBytes = 512 * 1024 ** 2;
    const { sandbox, run } = await openHostileTools({ ...sandboxLimits, seconds: 20, residentBytes });
    const children = `
import time
def hold(megabytes, children):
    for _ in range(children):
        if os.fork() == 0:
            kept = b"x" * (megabytes * 1024 ** 2)
            open(f"/tmp/{os.getpid()}", "w").close()
            time.sleep(given)
            os._exit(len(kept) and 0)
    while len(os.listdir("/tmp")) < children:
        time.sleep(0.01)
`;
    expect(await run(`${children}\nhold(200, 2)\nreturn "enough"`, 60)).toMatchObject({ status: "ok", text: "enough" });
    const greedy = await run(`${children}\nhold(256, 6)\ntime.sleep(60)`, 60);
    expect(greedy).toMatchObject({
      status: "failed",
      text: "the processes of the code took more than 512 MB of memory and were ended",
    });
    await sandbox.close();
  });

  test.each(["stdout", "stderr"] as const)(
    "endless output to %s ends the call, and its beginning is returned",
    async (stream) => {
      const result = await tools.run(`while True:\n    sys.${stream}.write("y" * 1000)`);
      expect(result).toMatchObject({ status: "failed", text: expect.stringContaining("more than the sandbox allows") });
      expect(result[stream]).toHaveLength(limits.outputBytes);
    },
  );

  test("an endless result ends the call", async () => {
    const result = await tools.run('return "y" * (8 * 1024 * 1024)');
    expect(result).toMatchObject({ status: "failed", text: expect.stringContaining("more than the sandbox allows") });
  });

  test("open files are limited", async () => {
    const result = await tools.run('return [open("/dev/null") for _ in range(100)] and "all open"');
    expect(result).toMatchObject({ status: "failed", text: expect.stringContaining("Too many open files") });
  });
});
