// Values as they are sent to the database: what PostgreSQL cannot store never reaches it, and a mistyped id fails no statement.
import { idsIn, sentParameters } from "../../../src/store/stored-values.ts";

const id = "0190a6f0-0000-7000-8000-000000000001";
const noId = "00000000-0000-0000-0000-000000000000";

describe("a parameter", () => {
  it.each([
    ["text loses what PostgreSQL cannot store", "a\u0000b\ud800", "a\ufffdb\ufffd"],
    ["a number stays", 3, 3],
    ["a truth value stays", false, false],
    ["null stays", null, null],
    ["undefined is null", undefined, null],
    ["a time is a literal of any year", new Date(Date.UTC(-43, 2, 15)), "0044-03-15T00:00:00.000Z BC"],
    ["a list is JSON without what PostgreSQL cannot store", ["a\u0000"], '["a\ufffd"]'],
    ["an object is JSON", { a: 1 }, '{"a":1}'],
  ])("%s", (_, given, sent) => {
    expect(sentParameters("select $1", [given])).toEqual([sent]);
  });

  it("is the id of no row where an id is expected and the text is none", () => {
    const statement = "select from messages where user_id = $1 and id = $2::uuid";
    expect(sentParameters(statement, ["ada", id])).toEqual(["ada", id]);
    expect(sentParameters(statement, ["ada", "messages"])).toEqual(["ada", noId]);
    expect(sentParameters(statement, [id, null])).toEqual([id, null]);
  });

  it("is a list of ids where the statement reads one", () => {
    const statement = `select from messages where id in (${idsIn("$1")})`;
    expect(sentParameters(statement, [[id, "messages"]])).toEqual([JSON.stringify([id, noId])]);
    expect(sentParameters("select $1::jsonb", [["messages"]])).toEqual(['["messages"]']);
  });

  it("is told apart from another whose number begins with the same digit", () => {
    const parameters = Array.from({ length: 12 }, () => "no id");
    const sent = sentParameters("select $1, $12::uuid", parameters);
    expect([sent[0], sent[11]]).toEqual(["no id", noId]);
  });
});
