// The classes of lines: what an edit keeps, what it writes, and what is left when the classes do not fit the text.
import { classOfWritten, textTrust, trustOfEdit, trustOfLines } from "../../../src/memory/trust.ts";
import type { StoredMessage } from "../../../src/store/port/records.ts";
import { storedMessage } from "../../support/messages.ts";

const external = () => "external" as const;
const plain = (value: string) => ({ value, trust: "user", lineTrust: null }) as const;

test("a line that stays keeps its class wherever it is, a new one gets its own, and the text has the lowest", () => {
  const once = trustOfEdit(plain("Ada\nsails"), "From a page\nAda\nsails", external);
  expect(once).toEqual({ trust: "external", lineTrust: ["external", "user", "user"], written: "external" });
  const before = { value: "From a page\nAda\nsails", ...once };
  expect(trustOfEdit(before, "sails\nAda\nFrom a page\nclimbs", () => "user")).toEqual({
    trust: "external",
    lineTrust: ["user", "user", "external", "user"],
    written: "user",
  });
});

test("when the external line is gone, the text is the user's again; the edit has the class of its window", () => {
  const before = { value: "Ada\nZebra", trust: "external", lineTrust: ["user", "external"] } as const;
  expect(trustOfEdit(before, "Ada\n", external)).toEqual({ trust: "user", lineTrust: null, written: "external" });
  expect(trustOfEdit(before, "", external)).toMatchObject({ trust: "user" });
});

test("a changed line is a new one", () => {
  const before = { value: "Ada\nOwes money", trust: "external", lineTrust: ["user", "external"] } as const;
  expect(trustOfEdit(before, "Ada owes money", () => "model")).toMatchObject({ trust: "model", lineTrust: null });
});

test("of equal lines the lowest class counts, and blank lines have none", () => {
  const before = { value: "Ada\n\nAda", trust: "external", lineTrust: ["user", "user", "external"] } as const;
  expect(trustOfEdit(before, "Ada", external)).toMatchObject({ trust: "external" });
  expect(trustOfEdit({ value: "", trust: "external", lineTrust: null }, "\nAda\n", () => "user")).toEqual({
    trust: "user",
    lineTrust: null,
    written: "user",
  });
});

test("classes that do not fit the text leave every line the lowest of them", () => {
  const lineTrust = ["user", "model"] as const;
  expect(trustOfLines({ value: "a\nb", trust: "model", lineTrust })).toEqual(["user", "model"]);
  expect(trustOfLines({ value: "a\nb\nc", trust: "model", lineTrust })).toEqual(["model", "model", "model"]);
  expect(trustOfLines({ value: "a\nb", trust: "external", lineTrust })).toEqual(["external", "external"]);
  expect(trustOfLines({ value: "a\nb", trust: "user", lineTrust })).toEqual(["model", "model"]);
});

test("the text of a revision has the lowest class of its lines, and without them the revision's", () => {
  expect(textTrust({ trust: "user", lineTrust: ["user", "external"] })).toBe("external");
  expect(textTrust({ trust: "model", lineTrust: null })).toBe("model");
});

test("only messages of the user's own count: no result, no event, no import, and no file", () => {
  const said = (fields: Partial<StoredMessage>): StoredMessage =>
    storedMessage({ turnId: "1", role: "user", content: [{ type: "text", text: "Ada sails" }], ...fields });
  const last = said({ turnId: "2", content: [{ type: "text", text: "yes" }] });
  const classOf = (message: StoredMessage) =>
    classOfWritten("external", {
      window: { messages: [message, last], summaries: [], synopsis: null },
      texts: [],
      hasOthers: false,
    })("Ada sails");
  expect(classOf(said({}))).toBe("user");
  expect(classOf(said({ role: "assistant", trust: "user" }))).toBe("external");
  expect(classOf(said({ role: "tool", trust: "user" }))).toBe("external");
  expect(classOf(said({ kind: "event" }))).toBe("external");
  expect(classOf(said({ kind: "system" }))).toBe("external");
  expect(classOf(said({ trust: "external" }))).toBe("external");
  expect(classOf(said({ trust: "external", turnId: "2" }))).toBe("external");
  const location = { type: "url", url: "https://example.com/a.txt" } as const;
  const file = { type: "file", location, kind: "document", mediaType: "text/plain", name: "a.txt", bytes: 1 } as const;
  const withFile = { content: [{ type: "text" as const, text: "Ada sails" }, file] };
  expect(classOf(said({ trust: "external", turnId: "2", ...withFile }))).toBe("user");
  expect(classOf(said({ trust: "external", ...withFile }))).toBe("external");
});
