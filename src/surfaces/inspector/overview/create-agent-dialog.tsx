// Creates an agent, and opens its conversations.
import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog.tsx";
import { Failure } from "../parts/shown.tsx";
import { TextField } from "../parts/text-field.tsx";
import { useSession } from "../session/inspector-session.ts";
import { agentPlace } from "../session/place.ts";
import { useAction } from "../session/use-action.ts";
import { useLoaded } from "../session/use-loaded.ts";
import { goTo } from "../session/use-place.ts";

const noAgent = { name: "", model: "", persona: "", human: "", description: "" };

export function CreateAgentDialog({ onClose }: { readonly onClose: () => void }) {
  const { client } = useSession();
  const [agent, setAgent] = useState(noAgent);
  const action = useAction();
  const models = useLoaded((signal) => client.call("GET /models", { signal }), [client]);
  const names = models.value?.models.map(({ name }) => name) ?? [];
  const field = (name: keyof typeof noAgent) => ({
    value: agent[name],
    onChange: (value: string) => setAgent({ ...agent, [name]: value }),
  });
  const create = () =>
    action.run(async () => {
      const given = Object.entries(agent).filter(([, value]) => value.trim() !== "");
      const body = { ...Object.fromEntries(given), name: agent.name.trim() };
      const { id } = await client.call("POST /agents", { body });
      onClose();
      goTo(agentPlace(id, "conversations"));
    });
  const button = (
    <button type="button" class="main" disabled={action.isRunning || agent.name.trim() === ""} onClick={create}>
      Create
    </button>
  );
  return (
    <Dialog title="New agent" onClose={onClose} actions={button} closeLabel="Cancel">
      <Failure error={action.error} />
      <div class="fields">
        <TextField label="Name" {...field("name")} />
        <TextField label="Model" {...field("model")} choices={names} placeholder={names[0] ?? "the server's model"} />
        <TextField
          label="Who it is"
          {...field("persona")}
          rows={3}
          placeholder="the persona that ships with the program"
        />
        <TextField
          label="Who you are"
          {...field("human")}
          rows={2}
          placeholder="nothing yet: it learns from what you say"
        />
        <TextField label="Description" {...field("description")} placeholder="for people; the agent does not see it" />
      </div>
    </Dialog>
  );
}
