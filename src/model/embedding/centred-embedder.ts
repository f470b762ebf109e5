// Centres the vectors of an embedder without a known floor: many models give unrelated texts cosines of 0.7 and more,
// because all their vectors share a direction. The shared part is learned at the first use from sample texts, pairs of a
// question and its answer, and subtracted.
// Invariant: the embedder's name differs from the model's, so that their vectors are never compared; the vector of an
// unknown text is not changed; no number is tuned for one model.
import { type Clock, systemClock } from "../../base/clock.ts";
import { EmbeddingError } from "../../base/errors.ts";
import { untilAborted } from "../../base/waiting.ts";
import { withinTime } from "./circuit.ts";
import { embedApart } from "./embed-apart.ts";
import type { Embedder, LearnedEmbedder, Vector } from "./embedder.ts";
import { isUnknownTextVector } from "./unknown-text-vector.ts";

export const centredSuffix = "|centred";

/** Maximum milliseconds for embedding the sample texts: all calls wait for them, so a hanging model would block every call. */
const maxLearningMs = 60_000;

/**
 * Returns the embedder with centred vectors and a learned floor. The first call also embeds the sample texts. Throws
 * EmbeddingError `embedding_failed` if the model refuses half or more of the samples, or does not answer within a minute.
 */
export function centreVectors(embedder: Embedder, clock: Clock = systemClock): LearnedEmbedder {
  let learning: Promise<Scale> | null = null;

  /** Returns the learned centres and floor. A failure is not cached: the next call tries again. */
  async function scale(): Promise<Scale> {
    const time = { what: "Embedding the sample texts", clock, limitMs: maxLearningMs, background: true };
    learning ??= withinTime((signal) => learn(embedder, signal), time);
    try {
      return await learning;
    } catch (error) {
      learning = null;
      throw error;
    }
  }

  return {
    ...embedder,
    name: `${embedder.name}${centredSuffix}`,
    async learnedFloor() {
      return (await scale()).floor;
    },
    async embed(texts, options = {}) {
      const { signal, isQuery = false } = options;
      const { queryCentre, passageCentre } = await (signal === undefined ? scale() : untilAborted(scale(), signal));
      const vectors = await embedder.embed(texts, options);
      return vectors.map((vector) => moved(vector, isQuery ? queryCentre : passageCentre));
    },
  };
}

/**
 * Returns the centred vector. Vectors of unknown texts are not changed: they are near no other vector, but after
 * centring they would be near each other.
 */
function moved(vector: Vector, centre: readonly number[]): Vector {
  return vector === null || isUnknownTextVector(vector) ? vector : centred(vector, centre);
}

/** Embeds the sample texts and learns from them. A caller's abort does not stop this work: other callers wait for it. */
async function learn(embedder: Embedder, signal: AbortSignal): Promise<Scale> {
  const [questions, answers] = await Promise.all([
    embedApart(
      embedder,
      samplePairs.map(({ question }) => question),
      { isQuery: true, signal },
    ),
    embedApart(
      embedder,
      samplePairs.map(({ answer }) => answer),
      { isQuery: false, signal },
    ),
  ]);
  const pairs = samplePairs.flatMap(({ language }, place) => {
    const [question = null, answer = null] = [questions[place], answers[place]];
    return question === null || answer === null ? [] : [{ language, question, answer }];
  });
  if (pairs.length * 2 > samplePairs.length) return learnScale(pairs);
  throw new EmbeddingError(
    "embedding_failed",
    `The minimum similarity of a search result cannot be measured: ${embedder.name} refuses ${samplePairs.length - pairs.length} of the ${samplePairs.length} sample texts. Set \`embeddingFloor\` to a cosine from -1 to 1.`,
  );
}

/** A pair of sample texts, the question embedded as a query and the answer as a passage. */
interface EmbeddedPair {
  readonly language: string;
  readonly question: readonly number[];
  readonly answer: readonly number[];
}

interface Scale {
  /** The means of the sample vectors, which are subtracted from vectors of queries and of passages. */
  readonly queryCentre: readonly number[];
  readonly passageCentre: readonly number[];
  /** The cosine that best separates answers from other passages of the same language. */
  readonly floor: number;
}

/** Returns the centres and the floor learned from at least one pair. All vectors must have the same dimensions. */
function learnScale(pairs: readonly EmbeddedPair[]): Scale {
  const queryCentre = meanOf(pairs.map(({ question }) => question));
  const passageCentre = meanOf(pairs.map(({ answer }) => answer));
  const questions = pairs.map(({ question }) => centred(question, queryCentre));
  const answers = pairs.map(({ answer }) => centred(answer, passageCentre));
  const own: number[] = [];
  const others: number[] = [];
  for (const [place, question] of questions.entries()) {
    const cosines = answers.map((answer) => cosine(question, answer));
    for (const [index, other] of cosines.entries()) {
      if (index === place) own.push(other);
      else if (pairs[index]?.language === pairs[place]?.language) others.push(other);
    }
  }
  return { queryCentre, passageCentre, floor: separatorOf(own, others) };
}

/**
 * Returns the vector minus the centre, with length 1. If their dimensions differ, returns the vector itself: `guardEmbedder`
 * then throws the error.
 */
function centred(vector: readonly number[], centre: readonly number[]): readonly number[] {
  if (vector.length !== centre.length) return vector;
  const moved = vector.map((value, place) => value - (centre[place] ?? 0));
  const length = Math.sqrt(moved.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : moved.map((value) => value / length);
}

function meanOf(vectors: readonly (readonly number[])[]): readonly number[] {
  return (vectors[0] ?? []).map(
    (_, place) => vectors.reduce((sum, vector) => sum + (vector[place] ?? 0), 0) / vectors.length,
  );
}

function cosine(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, place) => sum + value * (other[place] ?? 0), 0);
}

/**
 * Returns the threshold that best separates `own`, the cosines of questions with their own answers, from `others`, the
 * cosines with other answers. It has the greatest Youden's index: the share of `own` minus the share of `others` above it.
 */
function separatorOf(own: readonly number[], others: readonly number[]): number {
  const sorted = [...own, ...others].toSorted((one, other) => one - other);
  let [best, separator] = [Number.NEGATIVE_INFINITY, sorted[0] ?? 0];
  for (const [place, value] of sorted.entries()) {
    const index = shareFrom(value, own) - shareFrom(value, others);
    if (index > best) [best, separator] = [index, (value + (sorted[place - 1] ?? value)) / 2];
  }
  return separator;
}

function shareFrom(floor: number, cosines: readonly number[]): number {
  return cosines.length === 0 ? 0 : cosines.filter((value) => value >= floor).length / cosines.length;
}

/** A question and a passage that answers it in other words. */
interface SamplePair {
  readonly language: string;
  readonly question: string;
  readonly answer: string;
}

const answered: Readonly<Record<string, readonly (readonly [question: string, answer: string])[]>> = {
  en: [
    ["How do I get rid of this cough?", "The doctor gave me syrup for my throat."],
    ["What is the password policy?", "Accounts must be protected by at least twelve characters."],
    ["Who plays an instrument?", "My uncle gives piano lessons in the evening."],
    ["When does the shop close?", "We are open until seven on weekdays."],
  ],
  de: [
    ["Wie war das Wetter am Wochenende?", "Am Sonntag hat es ununterbrochen geregnet."],
    ["Wer kümmert sich um die Pflanzen?", "Frau Berger gießt die Blumen auf dem Balkon."],
    ["Was kostet der Kurs?", "Die Teilnahmegebühr beträgt achtzig Franken."],
    ["Wohin fliegen wir in den Ferien?", "Im Juli verreisen wir auf eine griechische Insel."],
  ],
  es: [
    ["¿Qué regalo le compramos al abuelo?", "Para su cumpleaños quiere un reloj de bolsillo."],
    ["¿Cuándo es la reunión del equipo?", "Nos juntamos todos los lunes a las nueve."],
    ["¿Qué le gusta leer?", "Marta devora novelas policíacas."],
    ["¿Está lejos el aeropuerto?", "El vuelo sale a cuarenta minutos de aquí en taxi."],
  ],
  fr: [
    ["Quel est le mot de passe du réseau ?", "Le code du wifi est écrit derrière la box."],
    ["Qui a gagné le match ?", "Notre équipe l'a emporté trois à un."],
    ["Où as-tu grandi ?", "J'ai passé mon enfance dans un village breton."],
    ["Que faut-il apporter à la fête ?", "Chaque invité vient avec un dessert."],
  ],
  zh: [
    ["明天天气怎么样？", "预报说会下大雪。"],
    ["他做什么工作？", "我哥哥是一名护士。"],
    ["去机场怎么走？", "坐地铁二号线到终点站。"],
    ["你喜欢喝什么？", "我每天都要一杯不加糖的绿茶。"],
  ],
  ja: [
    ["会議は何時からですか？", "打ち合わせは午後三時に始まります。"],
    ["どんな料理が得意ですか？", "カレーを作るのが一番うまいです。"],
    ["なぜ遅刻したの？", "電車が一時間も止まっていました。"],
    ["誕生日に何が欲しい？", "新しい自転車を買ってもらいたいです。"],
  ],
};

export const samplePairs: readonly SamplePair[] = Object.entries(answered).flatMap(([language, pairs]) =>
  pairs.map(([question, answer]) => ({ language, question, answer })),
);
