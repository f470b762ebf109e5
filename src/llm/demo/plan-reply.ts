// Decides what comes next in a turn: tool calls, or the reply that ends it.
// Invariant: every turn ends, because each call is made once and all calls of a turn together are bounded.
import { answerAgent, answerEverything, answerFromLabel, answerFromLines } from "./core-answers.ts";
import { answerFound, answerNothing } from "./found-answer.ts";
import { planAfterFailures, planWrites } from "./plan-writes.ts";
import type { PlannedCall } from "./planned-call.ts";
import type { LabelQuestion, PastQuestion, Question } from "./questions.ts";
import { nextSearch } from "./recall-search.ts";
import { fileLabel } from "../../file-part.ts";
import { demoDisclaimer } from "./self-description.ts";
import { examinedLength } from "./sentences.ts";
import { answerSmallTalk, greet } from "./small-talk.ts";
import { hasTool, type Turn } from "./turn.ts";
import { readWishes, type Wishes } from "./wishes.ts";
import { reportWrites } from "./write-report.ts";

/** What the stand-in does next. After `last-calls` it does not want control back; a `thought` is not for the user. */
export type Reply =
  | { readonly kind: "calls" | "last-calls"; readonly calls: readonly PlannedCall[] }
  | { readonly kind: "text" | "thought"; readonly text: string };

const mostCalls = 40;
const mostSendAttempts = 2;

/** The next step of a turn. `digest` is what the window's messages come down to, for a warning that they will go. */
export function planReply(turn: Turn, digest: () => string): Reply {
  const sent = turn.done.filter((call) => call.name === "send_message");
  if (sent.some((call) => !call.failed)) return replyAfterSending(turn, digest);
  if (sent.length >= mostSendAttempts) return { kind: "thought", text: "send_message failed twice; I stop here." };
  if (turn.opening !== "said") return { kind: "text", text: greet(turn) };
  const wishes = readWishes(turn);
  const calls = turn.done.length >= mostCalls || sent.length > 0 ? [] : nextCalls(wishes, turn);
  return calls.length > 0 ? { kind: "calls", calls } : { kind: "text", text: composeText(wishes, turn) };
}

function nextCalls(wishes: Wishes, turn: Turn): readonly PlannedCall[] {
  const writes = turn.done.length === 0 ? planWrites(wishes, turn) : planAfterFailures(wishes, turn);
  if (writes.length > 0) return writes;
  for (const question of wishes.questions) {
    const search =
      isSearched(question) && answerFromCore(question, turn) === undefined ? nextSearch(question, turn) : undefined;
    if (search?.kind === "calls") return search.calls;
  }
  return [];
}

function isSearched(question: Question): question is PastQuestion | LabelQuestion {
  return question.kind === "label" || question.kind === "past";
}

/** An answer that needs no search, or undefined. */
function answerFromCore(question: PastQuestion | LabelQuestion, turn: Turn): string | undefined {
  if (question.kind === "label") return answerFromLabel(question, turn.modules);
  const { days } = question;
  if (days?.kind === "impossible") return `${days.text} is not a day of the calendar.`;
  if (days?.kind === "no-today") {
    return `My prompt does not tell today's date, so I cannot tell which day "${days.text}" is. Give me the date as YYYY-MM-DD.`;
  }
  if (days === undefined && question.words.length === 0)
    return "What should I look for? Name a topic, or a day as YYYY-MM-DD.";
  return question.asksWhatWasSaid || days !== undefined ? undefined : answerFromLines(question, turn.modules);
}

function answerQuestion(question: Question, turn: Turn): string {
  switch (question.kind) {
    case "everything":
      return answerEverything(turn.modules);
    case "agent":
      return answerAgent(turn.modules);
    case "small-talk":
      return answerSmallTalk(question.text, turn);
    case "label":
    case "past":
      return answerFromCore(question, turn) ?? answerFromSearch(question, turn);
  }
}

function answerFromSearch(question: PastQuestion | LabelQuestion, turn: Turn): string {
  const state = nextSearch(question, turn);
  if (state.kind === "calls") return "I stopped searching: that took too many tool calls.";
  return state.items.length > 0
    ? answerFound(question, state.items, state.searched)
    : answerNothing(question, state.searched);
}

function composeText(wishes: Wishes, turn: Turn): string {
  const files = turn.files.length === 0 ? [] : [fileAnswer(turn)];
  if (files.length > 0 && turn.said.trim() === "") return files.join("");
  const parts = [
    ...files,
    ...reportWrites(wishes, turn),
    ...wishes.questions.map((question) => answerQuestion(question, turn)),
  ];
  const text =
    parts.length > 0
      ? parts.join(parts.some((part) => part.includes("\n")) ? "\n" : " ")
      : answerSmallTalk(turn.said, turn);
  return turn.clipped ? `${text} (I looked at the first ${examinedLength} characters of your message only.)` : text;
}

function fileAnswer({ files }: Turn): string {
  return `You sent ${files.map(fileLabel).join(" ")}. I am a ${demoDisclaimer}, and cannot see files.`;
}

/** Control came back after the visible reply: a warning is heeded by archiving what the window holds. */
function replyAfterSending(turn: Turn, digest: () => string): Reply {
  const isArchived = turn.done.at(-1)?.name === "archival_memory_insert";
  const content = turn.latest === "alert" && !isArchived && hasTool(turn, "archival_memory_insert") ? digest() : "";
  if (content !== "") return { kind: "last-calls", calls: [{ name: "archival_memory_insert", input: { content } }] };
  return turn.mustCall && turn.done.filter((call) => call.name === "send_message").length < mostSendAttempts
    ? { kind: "text", text: "There is nothing more to do." }
    : { kind: "thought", text: "There is nothing more to do." };
}
