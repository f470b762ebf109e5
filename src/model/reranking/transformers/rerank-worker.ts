// The thread that runs a cross-encoder of `@huggingface/transformers`: loads it once, then scores pairs of texts.
// Invariant: the thread reads only the model's folder. A pair arrives as JSON; its score is sent as a vector of one number.
import { workerData } from "node:worker_threads";
import { answerRequests, loadTransformers } from "../../embedding/answer-requests.ts";
import type { CrossEncoderSettings } from "./transformers-reranker.ts";

/** The used parts of `@huggingface/transformers`, declared here because the optional package may not be installed. */
interface Library {
  readonly env: Record<string, unknown>;
  readonly AutoTokenizer: { from_pretrained(name: string, options: object): Promise<Tokenizer> };
  readonly AutoModelForSequenceClassification: {
    from_pretrained(name: string, options: object): Promise<CrossEncoder>;
  };
}

type Tokenizer = (text: string, options: object) => unknown;
type CrossEncoder = (tokens: unknown) => Promise<{ readonly logits: { readonly data: ArrayLike<number> } }>;

const settings = workerData as CrossEncoderSettings;

const library = await loadTransformers<Library>(settings);
const options = { local_files_only: true };
const tokenizer = await library.AutoTokenizer.from_pretrained(settings.model, options);
const model = await library.AutoModelForSequenceClassification.from_pretrained(settings.model, {
  ...options,
  device: "cpu",
});

answerRequests({
  dimensions: 1,
  async embed(pair) {
    const [query, text] = JSON.parse(pair) as readonly [string, string];
    const { logits } = await model(await tokenizer(query, { text_pair: text, truncation: true }));
    // The logit of the last class: if there are two classes, the second is "relevant".
    return [logits.data[logits.data.length - 1] ?? Number.NaN];
  },
});
