// Reading files of each kind as sections, and all errors.
import { readSections } from "../../../../src/memory/sources/read-sections.ts";
import type { SourceFileKind } from "../../../../src/store/port/source-store.ts";
import { pdf, png } from "../../../support/sample-files.ts";
import { textPdf } from "../../../support/text-pdf.ts";

const read = (content: string | Uint8Array, kind: SourceFileKind) =>
  readSections(typeof content === "string" ? Buffer.from(content) : content, kind);
const short = async (content: string | Uint8Array, kind: SourceFileKind) =>
  (await read(content, kind)).map(({ text, place }) => [place.heading ?? place.page ?? place.lineFrom, text]);

describe("text", () => {
  it.each([
    ["UTF-8", Buffer.from("héllo 見出し 🙂")],
    ["UTF-8 with a byte order mark", Buffer.from("\uFEFFhéllo 見出し 🙂")],
    ["UTF-16, little end first", Buffer.from("\uFEFFhéllo 見出し 🙂", "utf16le")],
    ["UTF-16, big end first", Buffer.from("\uFEFFhéllo 見出し 🙂", "utf16le").swap16()],
  ])("in %s is read exactly", async (_, bytes) => {
    expect(await read(bytes, "text")).toEqual([{ text: "héllo 見出し 🙂", style: "prose", place: { lineFrom: 1 } }]);
  });

  it("of source code keeps its lines", async () => {
    expect(await read("a\r\n\tb\u001b[0m\u001a", "code")).toEqual([
      { text: "a\r\n\tb\u001b[0m\u001a", style: "code", place: { lineFrom: 1 } },
    ]);
  });

  const oneMore = Buffer.concat([Buffer.from("a".repeat(4999)), Buffer.from([0xe9]), Buffer.from("b".repeat(5000))]);
  it.each([
    ["an empty file", "", "it is empty"],
    ["a byte order mark alone", "\uFEFF", "it contains only white space"],
    ["white space", " \n\t\n", "it contains only white space"],
    ["a picture", png(9, 9), "it is not text: it contains zero bytes"],
    ["control characters", "a\u0001b", "it is not text: it contains control characters"],
    ["NUL", "a\u0000b", "it is not text: it contains control characters"],
    ["Latin-1", oneMore, "it is not UTF-8: byte 5,000 is invalid. Save it as UTF-8"],
    ["a lone surrogate", Buffer.from("eda080", "hex"), "it is not UTF-8: byte 1 is invalid. Save it as UTF-8"],
    ["a cut character", Buffer.from("a🙂").subarray(0, 3), "it is truncated in the middle of a character"],
    ["UTF-16 of odd length", Buffer.from("fffe410042", "hex"), "it declares utf-16le, but has another encoding"],
  ])("of %s is refused with its reason", async (_, content, reason) => {
    const failure = read(content, "text");
    await expect(failure).rejects.toMatchObject({ code: "source_file_unreadable", message: reason });
  });
});

describe("Markdown", () => {
  it("is split at its headings, which precede their text", async () => {
    const text = [
      "before", // 1
      "# Guide ##", // 2
      "## Install", // 3
      "Run it.", // 4
      "```", // 5
      "# no heading", // 6
      "```", // 7
      "Next", // 8
      "----", // 9
      "last", // 10
      "#hashtag", // 11
      "### Deep #1", // 12
    ].join("\n");
    expect(await read(text, "markdown")).toMatchObject([
      { text: "before\n", place: { lineFrom: 1 } },
      {
        text: "# Guide ##\n## Install\nRun it.\n```\n# no heading\n```\n",
        place: { lineFrom: 2, heading: "Guide > Install" },
      },
      { text: "Next\n----\nlast\n#hashtag\n", place: { lineFrom: 8, heading: "Guide > Next" } },
      { text: "### Deep #1", place: { lineFrom: 12, heading: "Guide > Next > Deep #1" } },
    ]);
  });

  it("does not treat front matter, lists, tables and quotations as headings", async () => {
    const text = "---\ntitle: x\n---\n- item\n---\n| a |\n---\n> said\n---\n    code\n---\n";
    expect(await read(text, "markdown")).toEqual([{ text, style: "prose", place: { lineFrom: 1 } }]);
  });

  it.each([
    ["a long run of marks", "#".repeat(1e6)],
    ["a title of blanks", `# ${" ".repeat(1e6)}x`],
    ["an underline", `x\n${"=".repeat(1e6)}`],
    ["an open fence", `~~~\n${"# a\n".repeat(1e5)}`],
  ])("that is %s is read completely", async (_, text) => {
    expect((await read(text, "markdown")).map((section) => section.text).join("")).toBe(text);
  });

  it("clips a heading that is too long", async () => {
    const [section] = await read(`# ${"🙂".repeat(500)}\n`, "markdown");
    expect(section!.place.heading).toBe(`${"🙂".repeat(120)}…`);
  });
});

describe("HTML", () => {
  it("is read as displayed, by its headings", async () => {
    const html = `<!doctype html><title>Shop</title><style>p{}</style><script>"<p>no"</script>
      <p>Welcome   to <b>us</b>.</p><h2>Prices</h2><ul><li>Tea<li>Milk &amp; honey</ul>
      <table><tr><td>a<td>b</table><pre>one\n  two</pre><p>x<br>y`;
    expect(await short(html, "html")).toEqual([
      ["Shop", "Shop\n\nWelcome to us."],
      ["Shop > Prices", "Prices\n\n- Tea\n- Milk & honey\n\na\tb\n\none\n  two\n\nx\ny"],
    ]);
  });

  it("is read in the encoding that it declares", async () => {
    const html = Buffer.from(`<meta charset="windows-1252"><p>caf\xe9 \x80`, "latin1");
    expect(await short(html, "html")).toEqual([[undefined, "café €"]]);
  });

  it.each([
    ["nested deeply", `${"<div>".repeat(990)}deep`, "deep"],
    ["a run of blanks", `<pre>a${" ".repeat(1e5)}b</pre>`, `a${" ".repeat(1e5)}b`],
    ["broken", "<p>a <b <i>c</p></table>", "a c"],
    ["with an unclosed comment", "a<!-- b", "a"],
  ])("that is %s is read", async (_, html, text) => {
    expect(await short(html, "html")).toEqual([[undefined, text]]);
  });

  it("with too deep nesting is refused at once", async () => {
    await expect(read("<div>".repeat(1e5), "html")).rejects.toThrow("its elements are nested more than 1000 deep");
  });

  it("without text is refused", async () => {
    await expect(read("<script>1</script>", "html")).rejects.toThrow("it contains only white space");
  });
});

describe("a PDF", () => {
  it("is read by its pages, with its paragraphs", async () => {
    const file = textPdf([["One (first)", "goes on."], [], ["Three", "", "", "New paragraph"]]);
    expect(await short(file, "pdf")).toEqual([
      [1, "One (first)\ngoes on."],
      [3, "Three\n\nNew paragraph"],
    ]);
  });

  it("does not change the given bytes", async () => {
    const file = textPdf([["One"]]);
    const before = Buffer.from(file);
    await read(file, "pdf");
    expect(file.equals(before)).toBe(true);
  });

  it.each([
    ["that asks for a password", textPdf([["secret"]], { encrypted: true }), "it is encrypted and needs a password"],
    ["that is none", Buffer.from("hello"), "it is not a PDF, or a damaged one"],
    ["of a head alone", Buffer.from("%PDF-1.7\n"), "it is not a PDF, or a damaged one"],
    ["cut off in its first object", textPdf([["One"]]).subarray(0, 30), "it is not a PDF, or a damaged one"],
    ["without text", textPdf([[]]), "it contains no text: its pages may be images"],
    ["without real pages", pdf(2), "it is not a PDF, or a damaged one"],
    ["of no bytes", Buffer.alloc(0), "it is empty"],
  ])("%s is refused with its reason", async (_, bytes, reason) => {
    await expect(read(bytes, "pdf")).rejects.toMatchObject({ code: "source_file_unreadable", message: reason });
  });
});

describe("JSON Lines", () => {
  it("are records, each with its line", async () => {
    const lines = [
      `{"title":"Tea","text":"hot"}`,
      "",
      `"a string"`,
      `{"name":"Ada","age":36,"tags":["a"]}`,
      "[1,2]",
      `{"content":"c"}\r`,
    ];
    expect(await read(lines.join("\n"), "json-lines")).toEqual([
      { text: "hot", style: "prose", place: { lineFrom: 1, lineTo: 1, heading: "Tea" } },
      { text: "a string", style: "prose", place: { lineFrom: 3, lineTo: 3 } },
      { text: `name: Ada\nage: 36\ntags: ["a"]`, style: "prose", place: { lineFrom: 4, lineTo: 4 } },
      { text: "[1,2]", style: "prose", place: { lineFrom: 5, lineTo: 5 } },
      { text: "c", style: "prose", place: { lineFrom: 6, lineTo: 6 } },
    ]);
  });

  it.each([
    ["is broken", `{"a":1}\n{"secret": tru`, "line 2 is not JSON"],
    [
      "is nested too deeply",
      `{"a":${"[".repeat(1e5)}${"]".repeat(1e5)}}`,
      /^line 1 is (?:no JSON|nested too deeply)$/u,
    ],
  ])("with one line that %s are refused, without their text", async (_, text, reason) => {
    await expect(read(text, "json-lines")).rejects.toThrow(reason);
  });
});
