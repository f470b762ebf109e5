// A reranker that knows the evidence of every question: what the best one could gain, and where evidence is lost before it.
// Invariant: it only orders what the search gives it, and ranks the evidence first.
import type { Reranker } from "../../src/model/reranking/reranker.ts";
import type { Conversation } from "./read-conversations.ts";

/** A reranker for the questions of some conversations. While it is off, the hits keep their order. */
export interface IdealReranker extends Reranker {
  isOn: boolean;
}

export function createIdealReranker(conversations: readonly Conversation[]): IdealReranker {
  const wanted = new Map<string, Set<string>>();
  for (const { utterances, questions } of conversations) {
    for (const { text: question, evidence } of questions) {
      const texts = wanted.get(question) ?? new Set();
      wanted.set(question, texts);
      for (const index of evidence) texts.add(`${utterances[index]?.speaker}: ${utterances[index]?.text}`);
    }
  }
  const reranker: IdealReranker = {
    name: "ideal",
    isOn: false,
    score: async (query, texts) =>
      texts.map((text) => (reranker.isOn && wanted.get(query)?.has(text) === true ? 1 : 0)),
    close: async () => {},
  };
  return reranker;
}
