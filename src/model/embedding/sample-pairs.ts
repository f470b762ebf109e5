// Questions with their answers in six languages, from which the scale of an embedder's cosines is learned.
// Invariant: no two pairs are about the same subject, and no text is in a benchmark. A change changes all centred vectors, so it
// needs another suffix of their name (centredSuffix).

/** A question and a passage that answers it in other words. */
export interface SamplePair {
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
