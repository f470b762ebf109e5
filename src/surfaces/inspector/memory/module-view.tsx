// Shows a module: each line with the revision that wrote it, the holders, and the revisions.
import { useState } from "preact/hooks";
import { ForgetDialog } from "../forget/forget-dialog.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { DiffView } from "../parts/diff-view.tsx";
import { Icon } from "../parts/icon.tsx";
import { Moment } from "../parts/moment.tsx";
import { numberText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import { Failure, Shown } from "../parts/shown.tsx";
import { beginningOf, visibleText } from "../parts/visible-text.ts";
import { useSession } from "../session/inspector-session.ts";
import { addressOf, agentPlace } from "../session/place.ts";
import { typed, useAction } from "../session/use-action.ts";
import { useCall, useLoaded } from "../session/use-loaded.ts";
import { CauseDialog } from "./cause-dialog.tsx";
import type { CoreModule } from "./core-module.ts";
import { lineOrigins, type ModuleLine } from "./line-origins.ts";
import { authorText, type Revision } from "./revision-author.ts";
import { RevisionList } from "./revision-list.tsx";

interface ModuleViewProps {
  readonly agent: string;
  readonly module: CoreModule;
  /** The number of the revision that is open in the list; null: the newest one. */
  readonly revision: number | null;
  readonly onChange: () => void;
}

/** Number of revisions that are listed at first. Up to `mostRevisions` are read to find the origin of every line. */
const firstRevisions = 50;
const mostRevisions = 12_800;

type Open =
  | { readonly type: "edit" }
  | { readonly type: "forget"; readonly text: string }
  | { readonly type: "cause"; readonly revision: number };

export function ModuleView({ agent, module, revision, onChange }: ModuleViewProps) {
  const [limit, setLimit] = useState(firstRevisions);
  const [open, setOpen] = useState<Open | null>(null);
  const { label } = module;
  const revisions = useRevisions(agent, module, limit);
  const changed = (): void => {
    setOpen(null);
    onChange();
  };
  return (
    <section aria-label={`Module ${label}`} class="detail">
      <div class="title-row">
        <h2>
          <PlainText text={label} isInline />
        </h2>
        <button type="button" onClick={() => setOpen({ type: "edit" })} disabled={module.readOnly}>
          <Icon name="edit" /> Edit
        </button>
        <button type="button" class="danger" onClick={() => setOpen({ type: "forget", text: "" })}>
          <Icon name="forget" /> Forget…
        </button>
      </div>
      {module.description === null ? null : (
        <p class="note">
          <PlainText text={module.description} length={500} isInline />
        </p>
      )}
      <ModuleHolders module={module} />
      <ModuleLines
        lines={revisions.value?.lines ?? lineOrigins(module.value, [])}
        revisions={revisions.value?.found ?? []}
        isComplete={revisions.value?.isComplete === true}
        onCause={(cause) => setOpen({ type: "cause", revision: cause })}
      />
      <h3>Revisions</h3>
      <Shown loaded={revisions}>
        {({ found }) => (
          <>
            <RevisionList agent={agent} revisions={found.slice(0, limit)} chosen={revision} onChange={onChange} />
            {found.length >= limit && module.revision > limit ? (
              <button type="button" onClick={() => setLimit(limit * 4)}>
                Show older revisions
              </button>
            ) : null}
          </>
        )}
      </Shown>
      {open === null ? null : (
        <OpenDialog agent={agent} module={module} open={open} setOpen={setOpen} onChange={changed} />
      )}
    </section>
  );
}

/** Loads at least `limit` revisions of a module, and as many more as explain all its lines. */
function useRevisions(agent: string, { label, value, revision }: CoreModule, limit: number) {
  const { client } = useSession();
  return useLoaded(
    async (signal) => {
      for (let size = limit; ; size *= 4) {
        const query = { label, limit: size };
        const found = await client.call("GET /agents/:agent/revisions", { params: { agent }, query, signal });
        const lines = lineOrigins(value, found);
        const isComplete = found.length < size;
        if (isComplete || size >= mostRevisions || lines.every((line) => line.revision !== null))
          return { found, lines, isComplete };
      }
    },
    [client, agent, label, limit, revision],
  );
}

interface OpenDialogProps {
  readonly agent: string;
  readonly module: CoreModule;
  readonly open: Open;
  readonly setOpen: (open: Open | null) => void;
  readonly onChange: () => void;
}

function OpenDialog({ agent, module, open, setOpen, onChange }: OpenDialogProps) {
  const close = (): void => setOpen(null);
  switch (open.type) {
    case "edit":
      return <EditDialog agent={agent} module={module} onClose={close} onSaved={onChange} />;
    case "forget":
      return <ForgetDialog text={open.text} onClose={close} onForgotten={onChange} />;
    case "cause":
      return (
        <CauseDialog
          agent={agent}
          label={module.label}
          revision={open.revision}
          onClose={close}
          onForget={(text) => setOpen({ type: "forget", text })}
        />
      );
  }
}

/** Lists the agents that hold a module. Shows nothing if only one agent holds it. */
function ModuleHolders({ module }: { readonly module: CoreModule }) {
  const holders = useCall("GET /modules/:module/holders", { params: { module: module.id } });
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
      . A change applies to all of them.
    </p>
  );
}

interface ModuleLinesProps {
  readonly lines: readonly ModuleLine[];
  readonly revisions: readonly Revision[];
  /** Whether `revisions` contains all revisions of the module. */
  readonly isComplete: boolean;
  readonly onCause: (revision: number) => void;
}

/** Shows the lines of a module, each with the revision that wrote it. */
function ModuleLines({ lines, revisions, isComplete, onCause }: ModuleLinesProps) {
  if (lines.length === 0) return <p class="note">This module is empty.</p>;
  return (
    <ol class="lines" aria-label="Text by line">
      {lines.map(({ text, revision }, at) => {
        const wrote = revisions.find((each) => each.revision === revision);
        return (
          <li key={at}>
            {revision === null || wrote === undefined ? (
              <span class="line">
                <PlainText text={text} length={2000} isInline />
                <span class="origin">{isComplete ? "from the beginning" : "earlier"}</span>
              </span>
            ) : (
              <button
                type="button"
                class="line"
                data-item
                title={`Revision ${revision}: what wrote this line`}
                onClick={() => onCause(revision)}
              >
                <PlainText text={text} length={2000} isInline />
                <span class="origin">
                  revision {revision} · <Moment at={wrote.at} /> · {beginningOf(visibleText(authorText(wrote)), 40)}
                </span>
              </button>
            )}
          </li>
        );
      })}
    </ol>
  );
}

interface EditDialogProps {
  readonly agent: string;
  readonly module: CoreModule;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/**
 * Edits the text of a module. If the text was changed meanwhile, the newer text is shown to the user before it is
 * replaced.
 */
function EditDialog({ agent, module, onClose, onSaved }: EditDialogProps) {
  const { client } = useSession();
  const [text, setText] = useState(module.value);
  const [base, setBase] = useState(module);
  const save = useAction();
  const length = [...text].length;
  const { label } = module;
  const submit = () =>
    save.run(async () => {
      const modules = await client.call("GET /agents/:agent/modules", { params: { agent } });
      const current = modules.find(({ id }) => id === module.id);
      if (current !== undefined && current.revision !== base.revision) {
        setBase(current);
        return;
      }
      await client.call("PUT /agents/:agent/modules/:label", { params: { agent, label }, body: { value: text } });
      onSaved();
    });
  const button = (
    <button
      type="button"
      class="main"
      disabled={save.isRunning || length > module.limit || text === base.value}
      onClick={submit}
    >
      {base === module ? "Save" : "Replace the newer text"}
    </button>
  );
  return (
    <Dialog title={`Edit ${label}`} onClose={onClose} actions={button} closeLabel="Cancel">
      <Failure error={save.error} />
      {base === module ? null : (
        <>
          <p role="alert">The text was changed meanwhile. Saving replaces the newer text, as shown here:</p>
          <DiffView before={base.value} after={text} />
        </>
      )}
      <label for="module-text">Text</label>
      <textarea id="module-text" rows={12} value={text} onInput={typed(setText)} aria-describedby="module-length" />
      <p id="module-length" class={length > module.limit ? "too-long" : "note"}>
        {numberText(length)} of {numberText(module.limit)} characters
      </p>
    </Dialog>
  );
}
