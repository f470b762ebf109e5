// One module: its text by line with what wrote each line, its holders, and its revisions.
import { useState } from "preact/hooks";
import { ForgetDialog } from "../forget/forget-dialog.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Shown } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useLoaded } from "../session/use-loaded.ts";
import { CauseDialog } from "./cause-dialog.tsx";
import type { CoreModule } from "./core-module.ts";
import { EditDialog } from "./edit-dialog.tsx";
import { lineOrigins } from "./line-origins.ts";
import { ModuleHolders } from "./module-holders.tsx";
import { ModuleLines } from "./module-lines.tsx";
import { RevisionList } from "./revision-list.tsx";

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
      <ModuleHolders module={module} />
      <ModuleLines
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
      {open === null ? null : (
        <OpenDialog agent={agent} module={module} open={open} setOpen={setOpen} onChange={changed} />
      )}
    </section>
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
