// Shows the tools of an agent: the program's tools, which can be turned off, and the user's, which can be attached.
import type { CallResult } from "../../client/api-types.ts";
import { CodeText } from "../parts/code-text.tsx";
import { PlainText } from "../parts/plain-text.tsx";
import { Select } from "../parts/select.tsx";
import { Failure, Shown } from "../parts/shown.tsx";
import { useSession } from "../session/inspector-session.ts";
import { useChange } from "../session/use-action.ts";
import { useLoaded } from "../session/use-loaded.ts";
import { type ProgramTool, programTools, type ToolChoice } from "./program-tools.ts";

export function ToolsView({ agent }: { readonly agent: string }) {
  const { client } = useSession();
  const loaded = useLoaded(
    async (signal) => {
      const params = { agent };
      const [record, own, builtIn, all] = await Promise.all([
        client.call("GET /agents/:agent", { params, signal }),
        client.call("GET /agents/:agent/tools", { params, signal }),
        client.call("GET /built-in-tools", { signal }),
        client.call("GET /tools", { query: { limit: 1000 }, signal }),
      ]);
      const choice = record.settings as unknown as ToolChoice;
      return { id: record.id, choice, tools: programTools(own.builtIn, builtIn, choice), attached: own.stored, all };
    },
    [client, agent],
  );
  return (
    <>
      <h1>Tools</h1>
      <Shown loaded={loaded}>
        {({ id, choice, tools, attached, all }) => (
          <>
            <section aria-label="Tools of the program">
              <h2>Of the program</h2>
              <ul class="rows" aria-label="Tools of the program">
                {tools.map((tool) => (
                  <ProgramRow key={tool.name} agent={id} tool={tool} choice={choice} onChange={loaded.reload} />
                ))}
              </ul>
            </section>
            <section aria-label="Your tools">
              <h2>Yours</h2>
              {all.length === 0 ? <p class="note">You have not added a tool.</p> : null}
              {all.some(({ source }) => source !== null) ? (
                <p class="note">
                  Python tools run only on a server with a sandbox (<code>--sandbox</code>). Without one they are
                  stored, and their calls fail.
                </p>
              ) : null}
              <ul class={all.length === 0 ? "list" : "rows"} aria-label="Your tools">
                {all.map((tool) => (
                  <StoredRow
                    key={tool.id}
                    agent={id}
                    tool={attached.find((each) => each.id === tool.id) ?? { ...tool, isDetached: true }}
                    onChange={loaded.reload}
                  />
                ))}
              </ul>
            </section>
          </>
        )}
      </Shown>
    </>
  );
}

interface ProgramRowProps {
  readonly agent: string;
  readonly tool: ProgramTool;
  readonly choice: ToolChoice;
  readonly onChange: () => void;
}

function ProgramRow({ agent, tool, choice, onChange }: ProgramRowProps) {
  const { client } = useSession();
  const action = useChange(onChange);
  const { name, description, isOn, setting, needsFiles } = tool;
  const names = choice[setting];
  const body = { [setting]: names.includes(name) ? names.filter((each) => each !== name) : [...names, name] };
  const toggle = () => action.act(() => client.call("PATCH /agents/:agent/settings", { params: { agent }, body }));
  return (
    <li class="row">
      <label class="row-text check-line">
        <input type="checkbox" checked={isOn} disabled={action.isRunning} onChange={toggle} />
        <span>
          <code>{name}</code> {needsFiles ? <span class="mark">with files</span> : null}
          <span class="note block">
            <PlainText text={description} length={240} isInline />
          </span>
        </span>
      </label>
      <Failure error={action.error} />
    </li>
  );
}

type StoredTool = CallResult<"GET /tools">[number];
type ShownTool = StoredTool & { readonly agentRequiresApproval?: boolean | null; readonly isDetached?: true };

interface StoredRowProps {
  readonly agent: string;
  readonly tool: ShownTool;
  readonly onChange: () => void;
}

function StoredRow({ agent, tool, onChange }: StoredRowProps) {
  const { client } = useSession();
  const { act, ...action } = useChange(onChange);
  const { id, name, description, kind, source, isDetached } = tool;
  const params = { agent, tool: id };
  const attach = (body: { readonly requiresApproval?: boolean | null }) =>
    act(() => client.call("PUT /agents/:agent/tools/:tool", { params, body }));
  return (
    <li class="row">
      <div class="row-text">
        <code>
          <PlainText text={name} length={80} isInline />
        </code>{" "}
        <span class="mark">{kind}</span>
        <span class="note block">
          <PlainText text={description} length={240} isInline />
        </span>
        {source === null ? null : (
          <details>
            <summary class="note">Source code</summary>
            <pre class="code">
              <CodeText text={source} />
            </pre>
          </details>
        )}
        <Failure error={action.error} />
      </div>
      <div class="row-actions">
        {isDetached === true ? null : (
          <ApprovalChoice tool={tool} onChoose={(requiresApproval) => attach({ requiresApproval })} />
        )}
        <button
          type="button"
          disabled={action.isRunning}
          onClick={() =>
            isDetached === true ? attach({}) : act(() => client.call("DELETE /agents/:agent/tools/:tool", { params }))
          }
        >
          {isDetached === true ? "Attach" : "Detach"}
        </button>
      </div>
    </li>
  );
}

interface ApprovalChoiceProps {
  readonly tool: ShownTool;
  readonly onChoose: (requiresApproval: boolean | null) => void;
}

function ApprovalChoice({ tool, onChoose }: ApprovalChoiceProps) {
  const { name, requiresApproval, agentRequiresApproval = null } = tool;
  return (
    <Select
      aria-label={`Approval of ${name}`}
      value={String(agentRequiresApproval)}
      choices={[
        ["null", requiresApproval ? "asks (its own setting)" : "runs (its own setting)"],
        ["true", "asks before each call"],
        ["false", "runs without asking"],
      ]}
      onChoose={(value) => onChoose(JSON.parse(value) as boolean | null)}
    />
  );
}
