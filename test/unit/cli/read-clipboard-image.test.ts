// The image in the clipboard: which tool is asked, and what is said when there is none.
import { readClipboardImage } from "../../../src/surfaces/cli/chat/clipboard.ts";

const png = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3];
const printing = (bytes: string) => [process.execPath, "-e", `process.stdout.write(${bytes})`] as const;
const image = printing(`Buffer.from(${JSON.stringify(png)})`);
const text = printing(`"some text"`);
const failing = [process.execPath, "-e", "process.exit(1)"] as const;
const huge = printing(`Buffer.alloc(21e6, 1)`);
const missing = ["no-such-tool-1"] as const;
const absent = ["no-such-tool-2"] as const;

test("the first tool that prints an image is used; one that is missing or fails is passed over", async () => {
  expect(await readClipboardImage([missing, failing, text, image])).toEqual({ type: "image", data: Buffer.from(png) });
});

test.each([
  [[failing, missing], "The clipboard contains no image."],
  [[text], "The clipboard contains no image."],
  [[huge], "The image in the clipboard is larger than 20 MB."],
  [[missing, absent], "To paste images, install no-such-tool-1 or no-such-tool-2, or type @PATH instead."],
])("case %# ends with a reason", async (tools, reason) => {
  expect(await readClipboardImage(tools)).toEqual({ type: "none", reason });
});
