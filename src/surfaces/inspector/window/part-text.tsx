// Shows the text of a part of the window: the current text, or the text at an earlier step as far as records contain it.
import type { ContextReport } from "../../../store/port/context-report.ts";
import { numberText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Shown } from "../parts/shown.tsx";
import { TrustMark } from "../parts/trust-mark.tsx";
import { useSession } from "../session/inspector-session.ts";
import { addressOf, agentPlace } from "../session/place.ts";
import { useCall, useLoaded } from "../session/use-loaded.ts";
import { memoryAt } from "./memory-at.ts";
import { EarlierTexts, MessagesNow, SummaryTexts, TurnTexts } from "./past-texts.tsx";
import { type Segment, segmentNames, segmentsOf } from "./window-segments.ts";
import { reportOf, type WindowNow, type WindowStep } from "./window-step.ts";

export interface PartTextProps {
  readonly agent: string;
  readonly conversation: string;
  readonly part: Segment["part"];
  /** The model call to show; null for the current window. */
  readonly step: WindowStep | null;
  readonly now: WindowNow;
}

export function PartText(props: PartTextProps) {
  return (
    <section aria-label={`Text of ${segmentNames[props.part]}`} class="part-text" tabIndex={0}>
      <h3>{segmentNames[props.part]}</h3>
      {props.step === null ? <TextNow {...props} /> : <TextThen {...props} step={props.step} />}
    </section>
  );
}

function TextNow({ agent, conversation, part, now }: PartTextProps) {
  const texts: Partial<Record<Segment["part"], string>> = {
    instructions: now.system.instructions,
    synopsis: now.system.memory,
    openFiles: now.retrieved,
    retrieved: now.retrieved,
  };
  const text = texts[part];
  if (part === "coreMemory") return <SnapshotText agent={agent} now={now} />;
  if (text !== undefined) return <PlainText text={text} />;
  if (part === "tools") return <ToolTexts agent={agent} />;
  if (part === "free" || part === "reply") return <p class="note">There is no text here.</p>;
  return <MessagesNow agent={agent} conversation={conversation} part={part} now={now} />;
}

/** Shows core memory as the current prompt contains it. The stored core memory can be newer. */
function SnapshotText({ agent, now }: Pick<PartTextProps, "agent" | "now">) {
  const { layout } = reportOf(now);
  return (
    <>
      <p class="note">
        {layout === "stable"
          ? "As it was at the beginning of the conversation, or at the last compaction. Later changes follow in the messages. "
          : "As it is now. "}
        <a href={addressOf(agentPlace(agent, "memory"))}>Current memory</a>
      </p>
      <PlainText text={now.system.memory} />
    </>
  );
}

interface TextThenProps extends PartTextProps {
  readonly step: WindowStep;
}

/**
 * Shows the text of a part in an earlier request, read from other records, because only sizes of requests are stored.
 */
function TextThen({ agent, conversation, part, step, now }: TextThenProps) {
  const place = { agent, conversation, step };
  switch (part) {
    case "turn":
      return <TurnTexts {...place} />;
    case "recentTurns":
    case "olderTurns":
      return <EarlierTexts {...place} part={part} />;
    case "summaries":
      return <SummaryTexts {...place} />;
    case "coreMemory":
      return <PastMemory agent={agent} at={step.at} />;
    case "openFiles":
    case "retrieved":
      return <RetrievedList report={reportOf(step)} />;
    case "tools":
    case "instructions":
    case "synopsis":
      return (
        <>
          <SinceThen part={part} step={step} now={now} />
          <TextNow agent={agent} conversation={conversation} part={part} step={null} now={now} />
        </>
      );
    default:
      return <p class="note">There is no text here.</p>;
  }
}

/** Says whether a part without stored history had the same size at the step, and thus probably the same text. */
function SinceThen({ part, step, now }: Pick<TextThenProps, "part" | "step" | "now">) {
  const [then, today] = [reportOf(step), reportOf(now)];
  const tokensOf = (report: ContextReport) => segmentsOf(report).find((segment) => segment.part === part)?.tokens ?? 0;
  // Counted tokens are compared, because the ratio of reported tokens to counted ones changes with every call. Each report has
  // rounded its tokens by less than one.
  const isSame =
    Math.abs(tokensOf(then) / then.factor - tokensOf(today) / today.factor) < 1 / then.factor + 1 / today.factor;
  return (
    <p class="note">
      {isSame
        ? "Earlier versions are not stored. The text had the same length at this step. The current text:"
        : `Earlier versions are not stored. The text had ${numberText(tokensOf(then))} tokens at this step, and has ${numberText(tokensOf(today))} now:`}
    </p>
  );
}

function ToolTexts({ agent }: { readonly agent: string }) {
  const tools = useCall("GET /agents/:agent/tools", { params: { agent } });
  return (
    <Shown loaded={tools}>
      {({ builtIn, stored }) => (
        <ul class="plain" aria-label="Tools">
          {[...builtIn, ...stored].map(({ name, description }) => (
            <li key={name}>
              <strong>
                <PlainText text={name} length={100} isInline />
              </strong>{" "}
              <PlainText text={description} length={400} isInline />
            </li>
          ))}
        </ul>
      )}
    </Shown>
  );
}

function RetrievedList({ report: { retrieved = [] } }: { readonly report: ContextReport }) {
  return (
    <ul class="plain" aria-label="Retrieved">
      {retrieved.map(({ source, id, tokens, trust }) => (
        <li key={id}>
          {source} memory, {numberText(tokens)} tokens <TrustMark trust={trust} />{" "}
          <PlainText text={id} length={60} isInline />
        </li>
      ))}
    </ul>
  );
}

/** Maximum number of revisions that are read. With more revisions since the step, the shown text may be too new. */
const maxRevisions = 1000;

/** Shows core memory as it was at a step. */
function PastMemory({ agent, at }: { readonly agent: string; readonly at: string }) {
  const { client } = useSession();
  const memory = useLoaded(
    async (signal) => {
      const params = { agent };
      const [modules, revisions] = await Promise.all([
        client.call("GET /agents/:agent/modules", { params, signal }),
        client.call("GET /agents/:agent/revisions", { params, query: { limit: maxRevisions }, signal }),
      ]);
      return memoryAt(modules, revisions, at);
    },
    [client, agent, at],
  );
  return (
    <Shown loaded={memory}>
      {(modules) => (
        <ul class="plain" aria-label="Core memory at this step">
          {modules.map(({ label, text, isChangedSince }) => (
            <li key={label}>
              <strong>
                <PlainText text={label} length={60} isInline />
              </strong>
              {isChangedSince ? <span class="note"> changed since</span> : null}
              <PlainText text={text} length={4000} />
            </li>
          ))}
        </ul>
      )}
    </Shown>
  );
}
