// One module: its text by line with what wrote each line, its holders, and its revisions.
import { useState } from "preact/hooks";
import type { CallResult } from "../../client/api-types.ts";
import { ForgetDialog } from "../forget/forget-dialog.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Shown } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { addressOf, agentPlace } from "../session/place.ts";
import { useLoaded } from "../session/use-loaded.ts";
import { CauseDialog } from "./cause-dialog.tsx";
import { EditDialog } from "./edit-dialog.tsx";
import { lineOrigins, type ModuleLine } from "./line-origins.ts";
import { RevisionList } from "./revision-list.tsx";

export type CoreModule = CallResult<"GET /agents/:agent/modules">[number];

interface ModuleViewProps {
  readonly agent: string;
  readonly module: CoreModule;
  /** The revision that is opened in the list. */
  readonly revision: number | null;
  readonly onChange: () => void;
}

/** Revisions that are loaded at first, and at most. */
const firstRevisions = 50;
const maxRevisions = 1000;

type Open =
  | { readonly type: "edit" }
  | { readonly type: "forget"; readonly text: string }
  | { readonly type: "cause"; readonly revision: number };

export function ModuleView({ agent, module, revision, onChange }: ModuleViewProps) {
  const { client } = useSession();
  const [limit, setLimit] = useState(firstRevisions);
  const [open, setOpen] = useState<Open | null>(null);
  const { label } = module;
  const revisions = useLoaded(
    (signal) => client.call("GET /agents/:agent/revisions", { params: { agent }, query: { label, limit }, signal }),
    [client, agent, label, limit, module.revision],
  );
  const close = (): void => setOpen(null);
  const changed = (): void => {
    close();
    onChange();
  };
  return (
    <section aria-label={`Module ${label}`} class="detail">
      <div class="title-row">
        <h2>
          <PlainText text={label} isInline />
        </h2>
        <button type="button" onClick={() => setOpen({ type: "edit" })} disabled={module.readOnly}>
          Edit
        </button>
        <button type="button" class="danger" onClick={() => setOpen({ type: "forget", text: "" })}>
          Forget…
        </button>
      </div>
      {module.description === null ? null : (
        <p class="note">
          <PlainText text={module.description} length={500} isInline />
        </p>
      )}
      <Holders module={module} />
      <Lines
        lines={lineOrigins(module.value, revisions.value ?? [])}
        onCause={(cause) => setOpen({ type: "cause", revision: cause })}
      />
      <h3>Revisions</h3>
      <Shown loaded={revisions}>
        {(found) => (
          <>
            <RevisionList agent={agent} revisions={found} chosen={revision} onChange={onChange} />
            {found.length >= limit && limit < maxRevisions ? (
              <button type="button" onClick={() => setLimit(Math.min(maxRevisions, limit * 4))}>
                Show older revisions
              </button>
            ) : null}
          </>
        )}
      </Shown>
      {open?.type === "edit" ? <EditDialog agent={agent} module={module} onClose={close} onSaved={changed} /> : null}
      {open?.type === "forget" ? <ForgetDialog text={open.text} onClose={close} onForgotten={changed} /> : null}
      {open?.type === "cause" ? (
        <CauseDialog
          agent={agent}
          label={label}
          revision={open.revision}
          onClose={close}
          onForget={(text) => setOpen({ type: "forget", text })}
        />
      ) : null}
    </section>
  );
}

interface LinesProps {
  readonly lines: readonly ModuleLine[];
  readonly onCause: (revision: number) => void;
}

function Lines({ lines, onCause }: LinesProps) {
  if (lines.length === 0) return <p class="note">This module is empty.</p>;
  return (
    <ol class="lines" aria-label="Text by line">
      {lines.map(({ text, revision }, at) => (
        <li key={at}>
          {revision === null ? (
            <span class="line">
              <span class="origin note" title="There since the module was created, or older than the revisions below">
                –
              </span>
              <PlainText text={text} length={2000} />
            </span>
          ) : (
            <button
              type="button"
              class="line"
              data-item
              title={`Revision ${revision}: what wrote this line`}
              onClick={() => onCause(revision)}
            >
              <span class="origin">{revision}</span>
              <PlainText text={text} length={2000} isInline />
            </button>
          )}
        </li>
      ))}
    </ol>
  );
}

/** Other agents that hold the module. */
function Holders({ module }: { readonly module: CoreModule }) {
  const { client } = useSession();
  const holders = useLoaded(
    (signal) => client.call("GET /modules/:module/holders", { params: { module: module.id }, signal }),
    [client, module.id],
  );
  if (holders.value === undefined || holders.value.length < 2) return null;
  return (
    <p class="note">
      Held by{" "}
      {holders.value.map(({ agentId, agentName }, at) => (
        <span key={agentId}>
          {at === 0 ? "" : ", "}
          <a href={addressOf(agentPlace(agentId, "memory", [module.label]))}>
            <PlainText text={agentName} length={60} isInline />
          </a>
        </span>
      ))}
      . A change is a change for all of them.
    </p>
  );
}
