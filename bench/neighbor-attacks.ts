// What a hostile user, or one without a key, sends to a server: one attack each, repeated until its time is over.
// Invariant: an attack sends what it says and reads every answer; it does not wait when it is refused, as a hostile client would not.
import { setTimeout } from "node:timers/promises";
import { deflateSync } from "node:zlib";
import { grepWord, holdWord, type HostileScene } from "./neighbor-scene.ts";

export interface Attack {
  readonly name: string;
  /** Sends requests until the signal is aborted; `answered` receives the status of each answer. */
  readonly run: (scene: HostileScene, until: AttackTime) => Promise<void>;
}

export interface AttackTime {
  readonly signal: AbortSignal;
  readonly answered: (status: number) => void;
}

const megabyte = 1_000_000;

export const attacks: readonly Attack[] = [
  attack("a PDF that inflates to 184 MB", 2, () => {
    const file = new File([pdfBomb()], "bomb.pdf", { type: "application/pdf" });
    return (scene) => {
      const body = new FormData();
      body.set("file", file);
      return send(scene, "POST", "/api/sources/files/files", body);
    };
  }),
  attack("lists of 1,000 agents", 10, () => (scene) => send(scene, "GET", "/v1/agents/?limit=1000")),
  attack("(a?){200}a{200}b in grep_files", 4, () => {
    const body = say(grepWord);
    return (scene) => send(scene, "POST", "/openai/v1/chat/completions", body);
  }),
  attack("passages of 9 MB", 2, () => {
    const body = JSON.stringify({ text: prose() });
    return (scene) => send(scene, "POST", `/v1/agents/agent-${scene.places.agent}/archival-memory`, body);
  }),
  attack("messages of 9 MB", 2, () => {
    const body = say(prose());
    return (scene) => send(scene, "POST", "/openai/v1/chat/completions", body);
  }),
  attack("agents with 5,000 blocks", 2, () => {
    const blocks = Array.from({ length: 5000 }, (_, number) => ({ label: `block_${number}`, value: "text" }));
    const body = JSON.stringify({ memory_blocks: blocks });
    return (scene) => send(scene, "POST", "/v1/agents/", body);
  }),
  attack("60 bodies of 9.9 MB at once", 60, () => {
    const body = JSON.stringify({ name: "x", persona: "p".repeat(9.9 * megabyte), human: "" });
    return (scene) => send(scene, "POST", "/api/agents", body);
  }),
  attack("bodies of 9.9 MB with 5,000,000 values", 4, () => {
    const body = `[${"0,".repeat(4.9 * megabyte)}0]`;
    return (scene) => send(scene, "POST", "/api/agents", body);
  }),
  attack("250 slow turns", 250, () => (scene, number) => {
    const { conversations } = scene.places;
    return startTurn(scene, conversations[number % conversations.length] as string);
  }),
  { name: "500 streams", run: manyStreams },
  { name: "340 wrong keys a second", run: wrongKeys },
];

interface Sending {
  readonly signal: AbortSignal;
}

type Ask = (scene: HostileScene, number: number) => (sending: Sending) => Promise<Response>;

/** `clients` send one request after the other. What they send is made once, so that the sender is not what is measured. */
function attack(name: string, clients: number, prepare: () => Ask): Attack {
  return {
    name,
    async run(scene, { signal, answered }) {
      const ask = prepare();
      const client = async (number: number): Promise<void> => {
        while (!signal.aborted) await oneAnswer(ask(scene, number), { signal, answered });
      };
      await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
    },
  };
}

/** Reads the answer; a client that has left has none. */
async function oneAnswer(
  ask: (sending: Sending) => Promise<Response>,
  { signal, answered }: AttackTime,
): Promise<void> {
  try {
    const response = await ask({ signal });
    answered(response.status);
    await response.arrayBuffer();
    // So that the sending process is not what is measured.
    if (response.status === 429) await setTimeout(20);
  } catch (error) {
    if (signal.aborted) return;
    // A server that refuses a body without reading it may close the connection while it is sent.
    if (error instanceof TypeError) answered(0);
    else throw error;
    await setTimeout(20);
  }
}

function send({ url, hostile }: HostileScene, method: string, path: string, body?: string | FormData) {
  const type: Readonly<Record<string, string>> = body instanceof FormData ? {} : { "content-type": "application/json" };
  const content = body === undefined ? {} : { body };
  return ({ signal }: Sending): Promise<Response> =>
    fetch(`${url}${path}`, { method, signal, headers: { authorization: `Bearer ${hostile}`, ...type }, ...content });
}

function say(text: string): string {
  return JSON.stringify({ model: "main", messages: [{ role: "user", content: text }] });
}

function startTurn(scene: HostileScene, conversation: string) {
  const path = `/api/agents/main/conversations/${conversation}/turns`;
  return send(scene, "POST", path, JSON.stringify({ messages: [{ text: holdWord }] }));
}

async function manyStreams(scene: HostileScene, { signal, answered }: AttackTime): Promise<void> {
  const { streamed } = scene.places;
  const path = `/api/agents/main/conversations/${streamed}`;
  let started = await startTurn(scene, streamed)({ signal });
  // The turns of an earlier attack may still end.
  for (; started.status === 429; started = await startTurn(scene, streamed)({ signal })) {
    await started.body?.cancel();
    await setTimeout(100);
    if (signal.aborted) return;
  }
  const text = await started.text();
  if (!started.ok) throw new Error(`There is no turn to read: ${started.status} ${text}`);
  const { turnId } = JSON.parse(text) as { readonly turnId: string };
  const events = send(scene, "GET", `${path}/turns/${turnId}/events`);
  const read = async (): Promise<void> => {
    while (!signal.aborted) await oneAnswer(events, { signal, answered });
  };
  await Promise.all(Array.from({ length: 500 }, read));
}

async function wrongKeys(scene: HostileScene, { signal, answered }: AttackTime): Promise<void> {
  const asked: Promise<void>[] = [];
  for (let number = 0; !signal.aborted; number += 1) {
    const hostile = `pk_${String(number).padStart(43, "0")}`;
    asked.push(oneAnswer(send({ ...scene, hostile }, "GET", "/api/agents"), { signal, answered }));
    // 17 in 50 ms, because timers are not exact to a millisecond.
    if (number % 17 === 16) await setTimeout(50);
  }
  await Promise.all(asked);
}

let bomb: Uint8Array<ArrayBuffer> | null = null;

/** A page whose content is 447 kB until it is inflated. */
function pdfBomb(): Uint8Array<ArrayBuffer> {
  if (bomb !== null) return bomb;
  const line = "(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj T*\n";
  const content = deflateSync(Buffer.alloc(184 * megabyte, line), { level: 9 });
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
    `<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n${content.toString("latin1")}\nendstream`,
  ];
  const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join("");
  const pdf = Buffer.from(`%PDF-1.4\n${body}trailer\n<< /Size 6 /Root 1 0 R >>\n%%EOF\n`, "latin1");
  return (bomb = new Uint8Array(pdf));
}

let text: string | null = null;

function prose(): string {
  return (text ??= "The harbour was quiet, and the boats lay where the tide had left them. "
    .repeat(130_000)
    .slice(0, 9 * megabyte));
}
