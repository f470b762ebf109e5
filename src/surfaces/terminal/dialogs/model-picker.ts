// The picker of `/model`: models in use, and those that servers and providers list, with a filter.
// Invariant: it only reads; each model is listed once, the agent's own first.
import type { ModelOffer, ModelOffers } from "../chat-host.ts";
import { span } from "../rows/row.ts";
import { screenText } from "../rows/wrap.ts";
import { type Choices, choiceList } from "./choice-list.ts";
import type { Dialog } from "./dialog.ts";

export interface PickableModels extends ModelOffers {
  readonly agentName: string;
  /** The model of the agent. */
  readonly current: Pick<ModelOffer, "model" | "baseUrl">;
}

/** The result is the chosen model. */
export function modelPicker({ agentName, current, offers, notes }: PickableModels): Dialog<ModelOffer> {
  const isUsed = ({ model, baseUrl }: ModelOffer): boolean => model === current.model && baseUrl === current.baseUrl;
  const used = offers.find(isUsed) ?? { ...current, about: "" };
  const items = distinct([used, ...offers]);
  const choices: Choices<ModelOffer> = {
    title: `Models for ${agentName}`,
    items,
    verb: "use",
    notes: [...notes, "/model NAME also takes a name that is not listed."],
    textOf: ({ model, baseUrl, about }) => `${model} ${baseUrl ?? ""} ${about}`,
    rowOf: (offer, { isChosen }) => {
      const facts = [offer.about, offer.baseUrl ?? "", offer === used ? "in use" : ""].filter((text) => text !== "");
      return [
        span(screenText(offer.model), isChosen ? "strong" : "plain"),
        span(`  ${screenText(facts.join(", "))}`, "faint"),
      ];
    },
  };
  return choiceList(choices);
}

/** The first offer of each model at each address. */
function distinct(offers: readonly ModelOffer[]): readonly ModelOffer[] {
  const seen = new Map<string, ModelOffer>();
  for (const offer of offers) {
    const key = `${offer.model} ${offer.baseUrl ?? ""}`;
    if (!seen.has(key)) seen.set(key, offer);
  }
  return [...seen.values()];
}
