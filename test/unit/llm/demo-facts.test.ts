// Which facts the demo model takes from a sentence.
import { readFacts } from "../../../src/llm/demo/facts.ts";
import { editsForFacts } from "../../../src/llm/demo/fact-edits.ts";
import { editsForForgetting } from "../../../src/llm/demo/forget-edits.ts";

const textOf = (value: string) => ({ label: "human", value, edits: [] });
const linesOf = (said: string): string[] => readFacts(said).map((fact) => `${fact.label}: ${fact.value}`);

describe("readFacts", () => {
  test.each([
    ["My name is Ada", ["Name: Ada"]],
    ["my name is ada lovelace", ["Name: Ada Lovelace"]],
    ["Hi there, I'm Ada", ["Name: Ada"]],
    ["I\u2019m Ada".replace("\u2019", "'"), ["Name: Ada"]],
    ["Call me Addy", ["Name: Addy"]],
    ["I'm Portuguese", ["Nationality: Portuguese"]],
    ["My name is Ada and I live in Lisbon", ["Name: Ada", "Lives in: Lisbon"]],
    [
      "I'm Ada, I'm 36, I live in St. Ives and work as a nurse",
      ["Name: Ada", "Age: 36", "Lives in: St. Ives", "Job: nurse"],
    ],
    ["I moved to Porto last week", ["Lives in: Porto"]],
    ["I've just moved from Porto to Lisbon", ["Lives in: Lisbon"]],
    ["We live in Faro now", ["Lives in: Faro"]],
    ["I am a nurse", ["Job: nurse"]],
    ["I'm a software engineer at Google", ["Job: software engineer", "Works at: Google"]],
    ["I work at Google as an engineer", ["Job: engineer", "Works at: Google"]],
    ["I'm a vegetarian", ["About: vegetarian"]],
    ["I like sailing, tea and the sea", ["Likes: sailing", "Likes: tea", "Likes: the sea"]],
    ["I really love maths", ["Likes: maths"]],
    ["I don't like olives", ["Dislikes: olives"]],
    ["My favourite colour is blue", ["Favourite colour: blue"]],
    ["Blue is my favorite color", ["Favourite color: Blue"]],
    ["I am planning to visit Rome", ["Plan: visit Rome"]],
    ["I want to learn Spanish", ["Plan: learn Spanish"]],
    ["Next week I fly to Oslo", ["Plan: fly to Oslo (next week)"]],
    ["I'm flying to Rome next month", ["Plan: flying to Rome (next month)"]],
    ["my dog's name is Rex", ["Dog: Rex"]],
    ["My sister is called Ana and my brother's name is Tom", ["Sister: Ana", "Brother: Tom"]],
    ["I have two cats and a dog named Rex", ["Has: two cats", "Dog: Rex"]],
    ["My birthday is on 3 May 1990", ["Birthday: 3 May 1990"]],
    ["I was born in Leeds", ["Born in: Leeds"]],
    ["I am 36 years old", ["Age: 36"]],
    ["my locker code is 4711", ["Locker code: 4711"]],
    ["I'm allergic to nuts", ["Allergic to: nuts"]],
    ["我叫小明", []],
    ["I am a bit tired", []],
    ["I'm sorry", []],
    ["I like it", []],
    ["I love you", []],
    ["I'd like to know the time", []],
    ["I want to know more", []],
    ["I am 10 minutes late", []],
    ["I used to live in Rome", []],
    ["My name is not Bob", []],
    ["The boat is called Nautilus", []],
    ["", []],
  ])("reads %j as %j", (said, expected) => {
    expect(linesOf(said)).toEqual(expected);
  });
});

describe("editsForFacts", () => {
  test.each([
    ["adds to empty memory", "", "My name is Ada", "Name: Ada"],
    ["leaves a placeholder", "Nothing is known yet.", "My name is Ada", "Nothing is known yet.\nName: Ada"],
    ["replaces a place", "Name: Ada\nLives in: Lisbon", "I moved to Porto", "Name: Ada\nLives in: Porto"],
    ["replaces a name under the label it has", "First name: Chad", "My name is Ada", "First name: Ada"],
    ["replaces a job", "Job: nurse\nAge: 3", "I am a pilot", "Job: pilot\nAge: 3"],
    ["extends a list", "Likes: tea", "I like sailing and maths", "Likes: tea, sailing, maths"],
    ["takes from the opposite list", "Likes: tea, maths", "I hate tea", "Likes: maths\nDislikes: tea"],
    ["drops what is over", "Lives in: a flat in Lisbon\nAge: 3", "I no longer live in Lisbon", "Age: 3"],
    ["keeps plans beside each other", "Plan: visit Rome", "I plan to read", "Plan: visit Rome\nPlan: read"],
    ["knows what it has", "Name: Ada\nLikes: Tea", "I'm Ada and I like tea", "Name: Ada\nLikes: Tea"],
  ])("%s", (_title, value, said, expected) => {
    expect(editsForFacts(textOf(value), readFacts(said)).value).toBe(expected);
  });

  test("yields edits that turn the old text into the new one by the tools' own rules", () => {
    const start = "Name: Ada\nLikes: tea\nDislikes: tea\nName: Ada L";
    const { edits, value } = editsForFacts(textOf(start), readFacts("I like maths, my name is Eve and I live in Faro"));
    const replayed = edits.reduce(
      (text, edit) => (edit.before === "" ? `${text}\n${edit.after}` : text.replaceAll(edit.before, () => edit.after)),
      start,
    );
    expect(replayed).toBe(value);
    expect(edits.every((edit) => edit.before !== "" || edit.after !== "")).toBe(true);
  });
});

describe("editsForForgetting", () => {
  const known = "Name: Ada\nJob: nurse\nWorks at: Siemens\nLikes: tea, sailing\nDog: Rex\nPlan: visit Rome\nPlan: read";
  test.each([
    ["my job", known.replace("Job: nurse\nWorks at: Siemens\n", "")],
    ["sailing", known.replace(", sailing", "")],
    ["I like tea", known.replace("tea, ", "")],
    ["my dog", known.replace("Dog: Rex\n", "")],
    ["my plans", known.replace("\nPlan: visit Rome\nPlan: read", "")],
    ["my name", known.replace("Name: Ada\n", "")],
    ["everything you know about me", ""],
    ["the moon", known],
  ])("forget %j", (target, expected) => {
    expect(editsForForgetting(textOf(known), target).value).toBe(expected);
  });
});
