// Builds one archive in six languages from cases.json: facts, texts that contain names and identifiers, and generated small talk.
// Invariant: deterministic. A question of a fact shares no content word with it; small talk answers no question.
import { readFileSync } from "node:fs";
import path from "node:path";

export interface LanguageCase {
  /** The language of the question and of the text (`de`), both (`de to fr`), or the kind of misspelling. */
  readonly group: string;
  readonly question: string;
  /** The passage that answers the question. */
  readonly text: string;
}

export interface LanguageScene {
  readonly cases: readonly LanguageCase[];
  readonly passages: readonly string[];
}

interface Fact {
  readonly language: string;
  readonly text: string;
  readonly question: string;
  /** The question in another language. */
  readonly other?: { readonly language: string; readonly question: string };
}

interface Typo {
  readonly kind: "words" | "identifiers";
  readonly text: string;
  readonly question: string;
}

/** Parts of generated lines. `form` has a place for each of the others. */
interface Talk {
  readonly who: readonly string[];
  readonly did: readonly string[];
  readonly when: readonly string[];
  readonly after: readonly string[];
  readonly form: string;
}

interface Cases {
  readonly facts: readonly Fact[];
  readonly typos: readonly Typo[];
  readonly talk: Readonly<Record<string, Talk>>;
}

/** Lines of small talk in each language. */
const linesOfLanguage = 500;

const crossLanguage = "another language";

export function createLanguageScene(): LanguageScene {
  const file = path.join("bench", "languages", "cases.json");
  const { facts, typos, talk } = JSON.parse(readFileSync(file, "utf8")) as Cases;
  const cases = facts.map(({ language, question, text }) => ({ group: language, question, text }));
  const others = facts.flatMap(({ other, text }) =>
    other === undefined ? [] : [{ group: crossLanguage, question: other.question, text }],
  );
  const misspelt = typos.map(({ kind, question, text }) => ({ group: `misspelt ${kind}`, question, text }));
  return {
    cases: [...cases, ...others, ...misspelt],
    passages: [
      ...[...facts, ...typos].map(({ text }) => text),
      ...Object.values(talk).flatMap((parts) =>
        Array.from({ length: linesOfLanguage }, (_, number) => line(parts, number)),
      ),
    ],
  };
}

/** Returns the line of a number; numbers below the product of the parts' counts give different lines. */
function line({ who, did, when, after, form }: Talk, number: number): string {
  let rest = number;
  const next = (parts: readonly string[]): string => {
    const part = parts[rest % parts.length]!;
    rest = Math.floor(rest / parts.length);
    return part;
  };
  const chosen: Readonly<Record<string, string>> = {
    who: next(who),
    did: next(did),
    when: next(when),
    after: next(after),
  };
  return form.replaceAll(/\{(\w+)\}/gu, (_, name: string) => chosen[name] ?? "");
}
