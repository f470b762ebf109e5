// A user of a server after the owner has ended the sharing: the own conversations stay readable and deletable.
import { askedModel } from "../support/asked-model.ts";
import { serveTestHost } from "../support/served-host.ts";
import { useScene } from "../support/use-scene.ts";

const served = useScene(() => serveTestHost({ model: "asked", models: [askedModel] }));

test("conversations of a former agent are read by its name or id, deleted, and not changed", async () => {
  const { host, url } = served;
  const [ada, ben] = [host.forUser("ada"), host.forUser("ben")];
  const { id } = await ada.agents.create({ name: "scout", persona: "I am Ada's." });
  await ada.agents.share("scout", "ben");
  await ben.agents.accept("ada/scout");
  const agent = await ben.agents.open("ada/scout");
  await agent.send("SAY hi");
  const { secret } = await host.keys.create("ben", { scope: "admin" });
  const byName = "ada%2Fscout";
  const ask = async (method: string, at = "", { named = byName, body }: { named?: string; body?: object } = {}) => {
    const path = `${url}/api/agents/${named}/conversations/${agent.conversationId}`;
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return (await fetch(`${path}${at}`, { method, headers, ...sent })).status;
  };
  expect(await ask("GET", "/messages")).toBe(200);
  await ada.agents.unshare("scout", "ben");
  for (const named of [byName, id])
    for (const at of ["", "/messages", "/export"])
      expect([named, at, await ask("GET", at, { named })]).toEqual([named, at, 200]);
  expect(await ask("PATCH", "", { body: { title: "mine" } })).toBe(403);
  expect(await ask("DELETE")).toBe(204);
});
