// The settings with which another program starts Palimpsest, whose working folder is another.
import { launchSettings } from "../../../src/config/file/launch-settings.ts";

const launched = (flags: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) =>
  launchSettings({ flags, env: { HOME: "/nowhere/ada", ...env } }, "/work");

it("have absolute paths of the folders of tools and objects", async () => {
  const { flags } = await launched({ tools: "mine", objects: "folder:kept/files" });
  expect(flags).toEqual({ tools: "/work/mine", objects: "folder:/work/kept/files" });
  const fromEnvironment = await launched({}, { PALIMPSEST_TOOLS: "./mine", PALIMPSEST_OBJECTS: "folder:kept" });
  expect(fromEnvironment.variables).toEqual({
    PALIMPSEST_TOOLS: "/work/mine",
    PALIMPSEST_OBJECTS: "folder:/work/kept",
  });
});

it.each([
  { tools: "~/mine", objects: "folder:~/kept" },
  { tools: "/mine", objects: "folder:/kept" },
  { objects: "database" },
  { objects: "s3:https://host/bucket" },
])("are otherwise as they were given: %j", async (given) => {
  expect((await launched(given)).flags).toEqual(given);
});
