// Shows the hits of a search, best first: the text of each hit with its matches, and the reasons for the hit's rank.
import { useState } from "preact/hooks";
import type { HitExplanation } from "../../../base/search-view/search-explanation.ts";
import { excerptPieces, findMatches } from "../../../base/search-view/search-pieces.ts";
import type { CallResult } from "../../client/api-types.ts";
import type { ForgottenItem } from "../forget/forget-dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure } from "../parts/shown.tsx";
import { TrustMark } from "../parts/trust-mark.tsx";
import { visibleText } from "../parts/visible-text.ts";
import { deletePassage, type PassageHome } from "../passages/passage-home.ts";
import { TagMarks } from "../passages/tag-marks.tsx";
import { useSession } from "../session/inspector-session.ts";
import { addressOf, agentPlace } from "../session/place.ts";
import { useAction, useChange } from "../session/use-action.ts";
import { type ScoreBar, scoreBars } from "./score-bars.ts";
import type { SearchRequest } from "./search-request.ts";

/** The form of the results of both searches: of messages and of the archive. */
export type SearchResult = CallResult<"GET /agents/:agent/recall">;

interface HitListProps {
  readonly agent: string;
  readonly request: SearchRequest;
  readonly result: SearchResult;
  readonly onForget: (item: ForgottenItem) => void;
  readonly onChange: () => void;
}

export function HitList({ agent, request, result, onForget, onChange }: HitListProps) {
  const explanations = result.hits.flatMap((hit) => explanationOf(hit) ?? []);
  if (result.hits.length === 0) return <p>Nothing was found.</p>;
  return (
    <ol class="rows" aria-label="Hits">
      {result.hits.map((hit) => (
        <HitItem
          key={hit.id}
          agent={agent}
          request={request}
          hit={hit}
          explanations={explanations}
          onForget={onForget}
          onChange={onChange}
        />
      ))}
    </ol>
  );
}

type Hit = SearchResult["hits"][number] & { readonly kind?: string };

function explanationOf(hit: Hit): HitExplanation | null {
  return (hit["explanation"] ?? null) as HitExplanation | null;
}

interface HitItemProps extends Omit<HitListProps, "result"> {
  readonly hit: Hit;
  readonly explanations: readonly HitExplanation[];
}

/** Maximum UTF-16 units of a hit that are shown. */
const excerptLength = 700;

function HitItem({ agent, request, hit, explanations, onForget, onChange }: HitItemProps) {
  const { client } = useSession();
  const action = useChange(onChange);
  const explanation = explanationOf(hit);
  const isPassage = request.kind === "archive";
  const home = homeOf(hit, agent);
  const remove = () => action.act(() => deletePassage(client, home, hit.id));
  return (
    <li class="row">
      <div class="row-text" tabIndex={-1} data-item>
        <Excerpt text={hit.text} query={request.query} />
        <div class="message-head">
          <span class="note">
            <Moment at={hit.at} />
          </span>
          <TrustMark trust={hit.trust} />
          <HitMarks hit={hit} />
          {isPassage ? <HitTags home={home} hit={hit} /> : null}
          <span class="row-actions">
            {isPassage ? (
              <button type="button" class="quiet" disabled={action.isRunning} onClick={remove}>
                <Icon name="remove" /> Delete
              </button>
            ) : (
              <ConversationLink agent={agent} message={hit.id} />
            )}
            <button
              type="button"
              class="quiet danger"
              onClick={() => onForget({ kind: isPassage ? "passage" : "message", id: hit.id })}
            >
              <Icon name="forget" /> Forget…
            </button>
          </span>
        </div>
        <Failure error={action.error} />
        <Neighbours hit={hit} />
        {explanation === null ? null : (
          <details>
            <summary class="note">Why it has this rank</summary>
            <ScoreList bars={scoreBars(explanation, explanations)} />
          </details>
        )}
      </div>
    </li>
  );
}

function ScoreList({ bars }: { readonly bars: readonly ScoreBar[] }) {
  return (
    <dl class="scores" aria-label="Why it has this rank">
      {bars.map(({ name, text, share, isPenalty }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <span class="bar-frame">
              <span class={isPenalty ? "bar penalty" : "bar"} style={{ width: `${share * 100}%` }} />
            </span>
            <span class="note">{text}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Excerpt({ text, query }: { readonly text: string; readonly query: string }) {
  const pieces = excerptPieces(text, findMatches(text, query), excerptLength);
  return (
    <div class="plain-text" dir="auto">
      {pieces.map(({ text: piece, isMatch }, at) =>
        isMatch ? <mark key={at}>{visibleText(piece)}</mark> : visibleText(piece),
      )}
    </div>
  );
}

/** Returns the source of a hit; undefined for a hit that is not in a source. */
function sourceOf(hit: Hit): { readonly name: string } | undefined {
  return hit["source"] as { readonly name: string } | undefined;
}

/** Returns the source of a passage, or the agent's archive for a passage that is not in a source. */
function homeOf(hit: Hit, agent: string): PassageHome {
  const source = sourceOf(hit);
  return source === undefined ? { agent } : { source: source.name };
}

function HitTags({ home, hit }: { readonly home: PassageHome; readonly hit: Hit }) {
  const [tags, setTags] = useState((hit["tags"] ?? []) as readonly string[]);
  return <TagMarks home={home} passage={hit.id} tags={tags} onChange={setTags} />;
}

/** Shows the marks of a hit: its kind, its role and speaker, and its source. */
function HitMarks({ hit }: { readonly hit: Hit }) {
  const source = sourceOf(hit);
  const texts = [
    ...[hit.kind, hit.role, hit.speaker].filter((text) => text !== undefined),
    ...(source === undefined ? [] : [`source ${source.name}`]),
  ];
  return (
    <>
      {texts.map((text, at) => (
        <span key={at} class="mark">
          <PlainText text={text} length={60} isInline />
        </span>
      ))}
    </>
  );
}

interface Neighbour {
  readonly id: string;
  readonly role?: string;
  readonly text: string;
}

function Neighbours({ hit }: { readonly hit: Hit }) {
  const { before = [], after = [] } = (hit["neighbours"] ?? hit) as {
    readonly before?: readonly Neighbour[];
    readonly after?: readonly Neighbour[];
  };
  if (before.length + after.length === 0) return null;
  return (
    <details>
      <summary class="note">Messages around it</summary>
      <ul class="plain">
        {[...before, ...after].map(({ id, role = "", text }) => (
          <li key={id}>
            <span class="mark">{role}</span>
            <PlainText text={text} length={1000} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** A link to the conversation of a message. The conversation is looked up when the user opens the link. */
function ConversationLink({ agent, message }: { readonly agent: string; readonly message: string }) {
  const { client } = useSession();
  const action = useAction();
  const open = () =>
    action.run(async () => {
      const { conversationId } = await client.call("GET /messages/:message", { params: { message } });
      location.hash = addressOf(agentPlace(agent, "conversations", [conversationId, message]));
    });
  return (
    <>
      <button type="button" class="quiet" disabled={action.isRunning} onClick={open}>
        <Icon name="conversations" /> Open in its conversation
      </button>
      <Failure error={action.error} />
    </>
  );
}
