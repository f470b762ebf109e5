// Which facts the demo model takes from a sentence, and what they change in core memory.
import { editCalls, forget, learn } from "../../../../src/model/llm/demo/plan-calls.ts";
import { factsIn } from "../../../../src/model/llm/demo/intents.ts";

const linesOf = (said: string): string[] => factsIn(said).map((fact) => `${fact.label}: ${fact.value}`);
const learnAll = (text: string, said: string): string => factsIn(said).reduce(learn, text);

describe("factsIn", () => {
  test.each([
    ["My name is Ada", ["Name: Ada"]],
    ["Hi there, my name is Ada", ["Name: Ada"]],
    ["Hi, I'm Ada", ["Name: Ada"]],
    ["Call me Addy", ["Name: Addy"]],
    ["I'm Portuguese", []],
    ["My name is Ada and I live in Lisbon", ["Name: Ada", "Lives in: Lisbon"]],
    [
      "I'm Ada, I'm 36, I live in St. Ives and work as a nurse",
      ["Name: Ada", "Age: 36", "Lives in: St. Ives", "Job: nurse"],
    ],
    ["I moved to Porto last week", ["Lives in: Porto"]],
    ["I've just moved from Porto to Lisbon", ["Lives in: Lisbon"]],
    ["We live in Faro now", ["Lives in: Faro"]],
    ["I am a nurse", ["About: nurse"]],
    ["I work as an engineer at Google", ["Job: engineer", "Works at: Google"]],
    ["I like sailing, tea and the sea", ["Likes: sailing", "Likes: tea", "Likes: the sea"]],
    ["I really love maths", ["Likes: maths"]],
    ["I don't like olives", ["Dislikes: olives"]],
    ["My favourite colour is blue", ["Favourite colour: blue"]],
    ["I want to learn Spanish", ["Plans: learn Spanish"]],
    ["my dog's name is Rex", ["Dog's name: Rex"]],
    ["My birthday is on 3 May 1990", ["Birthday: on 3 May 1990"]],
    ["my locker code is 4711", ["Locker code: 4711"]],
    ["我叫小明", []],
    ["I am a bit tired", []],
    ["I'm sorry", []],
    ["I'm Ada, a PhD student from Berlin", ["Name: Ada", "About: PhD student from Berlin"]],
    ["I'm tired, a bit", []],
    ["I have two kids", ["Has: two kids"]],
    ["I have a dog and a cat", ["Has: dog", "Has: cat"]],
    ["I have to go", []],
    ["I have a question", []],
    ["I'm allergic to peanuts", ["Allergic to: peanuts"]],
    ["I speak French and German", ["Speaks: French", "Speaks: German"]],
    ["My wife is called Anna", ["Wife: Anna"]],
    ["I like it", []],
    ["I love you", []],
    ["I'd like to know the time", []],
    ["I want to know more", []],
    ["I used to live in Rome", []],
    ["My name is not Bob", []],
    ["The boat is called Nautilus", []],
    ["", []],
  ])("reads %j as %j", (said, expected) => {
    expect(linesOf(said)).toEqual(expected);
  });
});

describe("a fact", () => {
  test.each([
    ["is added to empty memory", "", "My name is Ada", "Name: Ada"],
    ["is added below other text", "Nothing is known yet.", "My name is Ada", "Nothing is known yet.\nName: Ada"],
    [
      "replaces another",
      "Name: Ada\nLives in: Lisbon\nAge: 3",
      "I moved to Porto",
      "Name: Ada\nLives in: Porto\nAge: 3",
    ],
    ["extends a list", "Likes: tea", "I like sailing and maths", "Likes: tea, sailing, maths"],
    ["is taken from the opposite list", "Likes: tea, maths", "I hate tea", "Likes: maths\nDislikes: tea"],
    ["leaves no empty list", "Likes: tea\nAge: 3", "I hate tea", "Age: 3\nDislikes: tea"],
    ["that is known changes nothing", "Name: Ada\nLikes: Tea", "I'm Ada and I like tea", "Name: Ada\nLikes: Tea"],
  ])("%s", (_title, text, said, expected) => {
    expect(learnAll(text, said)).toBe(expected);
  });
});

describe("forget", () => {
  const known = "Name: Ada\nJob: nurse\nWorks at: Siemens\nLikes: tea, sailing\nDog's name: Rex\nPlans: visit Rome";
  test.each([
    ["my job", known.replace("Job: nurse\n", "")],
    ["sailing", known.replace(", sailing", "")],
    ["I like tea", known.replace("tea, ", "")],
    ["my dog", known.replace("Dog's name: Rex\n", "")],
    ["my plans", known.replace("\nPlans: visit Rome", "")],
    ["everything you know about me", ""],
    ["the moon", known],
    ["it", known],
  ])("%j", (topic, expected) => {
    expect(forget(known, topic)).toBe(expected);
  });

  test("everything leaves the sentence that says what the section is for", () => {
    const guidance = "One fact per line. What is not written here, I do not know.";
    expect(forget(`${guidance}\n${known}`, "everything about me")).toBe(guidance);
  });
});

test.each([
  ["", "Name: Ada\nLikes: tea"],
  ["Likes: tea\nDislikes: maths\nAge: 3", "Likes: maths\nAge: 3\nName: Ada"],
  ["Name: Ada\nAge: 3", "Name: Ada"],
  ["Name: Ada\nAge: 3", "Age: 3"],
  ["Name: Ada\nAge: 3", ""],
])("the calls from %j to %j produce that text by the tools' own rules", (before, after) => {
  const replayed = editCalls("human", before, after).reduce((text, { name, input }) => {
    const { content, old_content: old, new_content: fresh } = input as Record<string, string>;
    if (name === "core_memory_append") return text === "" ? content! : `${text}\n${content}`;
    expect(text.split(old!)).toHaveLength(2);
    return text.replace(old!, () => fresh!);
  }, before);
  expect(replayed.split("\n").toSorted()).toEqual(after.split("\n").toSorted());
});
