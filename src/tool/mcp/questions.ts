// The questions of MCP servers that wait for an answer.
// Invariant: a question waits only while someone watches; otherwise it is declined at once, and the server goes on.
import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/client";
import { RequestError } from "../../base/errors.ts";
import { bounds } from "./bounds.ts";
import { answerOf, fieldsOf, type QuestionField } from "./question-form.ts";

export interface Question {
  readonly id: string;
  readonly server: string;
  readonly message: string;
  readonly fields: readonly QuestionField[];
}

export type Answer =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: "decline" };

export interface Questions {
  /** Resolves to the answer; to `cancel` when the signal is aborted, and to `decline` if nobody watches. */
  ask(server: string, params: ElicitRequestFormParams, signal: AbortSignal): Promise<ElicitResult>;
  waiting(): readonly Question[];
  /** The listener receives each question that comes; null: nobody watches, and what waits is declined. */
  watch(listener: ((question: Question) => void) | null): void;
  /** Throws RequestError `input_invalid`; the question still waits then, if it exists. */
  answer(id: string, answer: Answer): void;
}

interface Open {
  readonly question: Question;
  settle(result: ElicitResult): void;
}

export function createQuestions(): Questions {
  const open = new Map<string, Open>();
  let listener: ((question: Question) => void) | null = null;
  let asked = 0;

  function wait(question: Question, signal: AbortSignal): Promise<ElicitResult> {
    const timeout = AbortSignal.timeout(bounds.questionMs);
    const ended = AbortSignal.any([signal, timeout]);
    return new Promise((resolve) => {
      const settle = (result: ElicitResult): void => {
        open.delete(question.id);
        ended.removeEventListener("abort", cancel);
        resolve(result);
      };
      const cancel = (): void => settle({ action: "cancel" });
      ended.addEventListener("abort", cancel);
      open.set(question.id, { question, settle });
      listener?.(question);
    });
  }

  return {
    async ask(server, { message, requestedSchema }, signal) {
      if (listener === null || signal.aborted) return { action: "decline" };
      asked += 1;
      const text = message.slice(0, bounds.description).toWellFormed();
      return wait({ id: `question-${asked}`, server, message: text, fields: fieldsOf(requestedSchema) }, signal);
    },
    waiting: () => [...open.values()].map(({ question }) => question),
    watch(next) {
      listener = next;
      if (next === null) for (const { settle } of open.values()) settle({ action: "decline" });
    },
    answer(id, answer) {
      const found = open.get(id);
      if (found === undefined) throw new RequestError("input_invalid", `No question ${id} waits for an answer.`);
      if (answer.action === "decline") found.settle({ action: "decline" });
      else found.settle({ action: "accept", content: answerOf(found.question.fields, answer.content) });
    },
  };
}
