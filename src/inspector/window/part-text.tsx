// The text of a part of the window: as it is now, or as far as it can be read back for an earlier step.
import type { ContextReport } from "../../memory/context-report.ts";
import type { Message } from "../../message/message.ts";
import { contentText } from "../parts/content-text.ts";
import { numberText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Shown } from "../parts/shown.tsx";
import { TrustMark } from "../parts/trust-mark.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useLoaded } from "../session/use-loaded.ts";
import { PastMemory } from "./past-memory.tsx";
import { type Segment, segmentNames } from "./window-segments.ts";
import type { WindowNow, WindowStep } from "./window-step.ts";

interface PartTextProps {
  readonly agent: string;
  readonly part: Segment["part"];
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

function TextNow({ agent, part, now }: PartTextProps) {
  const texts: Partial<Record<Segment["part"], string>> = {
    instructions: now.system.instructions,
    coreMemory: now.system.memory,
    synopsis: now.system.memory,
    changes: now.state,
    openFiles: now.retrieved,
    retrieved: now.retrieved,
  };
  const text = texts[part];
  if (text !== undefined) return <PlainText text={text} />;
  if (part === "tools") return <ToolTexts agent={agent} />;
  if (part === "free" || part === "reply") return <p class="note">There is no text here.</p>;
  return <MessageTexts messages={now.messages as unknown as readonly Message[]} />;
}

/** Only the sizes of an earlier request are stored, so its text is that of the records that it was made from. */
function TextThen({ agent, part, step }: PartTextProps & { readonly step: WindowStep }) {
  switch (part) {
    case "turn":
      return <TurnTexts turn={step.turnId} />;
    case "coreMemory":
      return <PastMemory agent={agent} at={step.at} />;
    case "openFiles":
    case "retrieved":
      return <RetrievedList report={step.report as unknown as ContextReport} />;
    case "tools":
      return <ToolTexts agent={agent} />;
    default:
      return (
        <p class="note">
          The text of this part is not stored with the step. Choose Now, or the conversation, to read it.
        </p>
      );
  }
}

function MessageTexts({ messages }: { readonly messages: readonly Message[] }) {
  return (
    <ol class="plain" aria-label="Messages of the request">
      {messages.map(({ role, content }, at) => (
        <li key={at}>
          <span class="mark">{role}</span>
          <PlainText text={contentText(content)} length={4000} />
        </li>
      ))}
    </ol>
  );
}

function ToolTexts({ agent }: { readonly agent: string }) {
  const { client } = useSession();
  const tools = useLoaded(
    (signal) => client.call("GET /agents/:agent/tools", { params: { agent }, signal }),
    [client, agent],
  );
  return (
    <Shown loaded={tools}>
      {({ builtIn, attached }) => (
        <ul class="plain" aria-label="Tools">
          {[...builtIn, ...attached].map(({ name, description }) => (
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

function TurnTexts({ turn }: { readonly turn: string }) {
  const { client } = useSession();
  const messages = useLoaded(
    (signal) => client.call("GET /turns/:turn/messages", { params: { turn }, signal }),
    [client, turn],
  );
  return (
    <Shown loaded={messages}>{(found) => <MessageTexts messages={found as unknown as readonly Message[]} />}</Shown>
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
