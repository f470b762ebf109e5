// State that one test file leaves for the next in the same process.
import { AsyncLocalStorage } from "node:async_hooks";
import TestFileEnvironment from "../support/test-file-environment.mjs";

type Parameters = ConstructorParameters<typeof TestFileEnvironment>;

function newEnvironment() {
  const projectConfig = { globals: {}, testEnvironmentOptions: {}, fakeTimers: {} };
  return new TestFileEnvironment({ projectConfig, globalConfig: {} } as Parameters[0], {} as Parameters[1]);
}

test.each<[string, (storage: AsyncLocalStorage<string>) => void]>([
  ["run", (storage) => storage.run("told", () => undefined)],
  ["enterWith", (storage) => storage.enterWith("told")],
])(
  "a storage that a file has used by %s is disabled at the file's end, and is not tracked any more",
  async (_, use) => {
    const { run, enterWith } = AsyncLocalStorage.prototype;
    const environment = newEnvironment();
    await environment.setup();
    const disabled: string[] = [];
    const storage = (name: string) =>
      Object.assign(new AsyncLocalStorage<string>(), { disable: () => disabled.push(name) });
    use(storage("within"));
    storage("unused");
    await environment.teardown();
    use(storage("after"));
    expect(disabled).toEqual(["within"]);
    expect(AsyncLocalStorage.prototype).toMatchObject({ run, enterWith });
  },
);
