// What the stand-in says about itself, wherever it must say it.
// Invariant: it never passes for a language model.

/** The line that names the stand-in for what it is; shown wherever the model is named. */
export const demoDisclaimer = "demo model: pattern rules, not a language model";

/** What the stand-in can do, in the words it uses when it is asked or has no rule. */
export const demoAbilities =
  'You can tell me facts ("My name is Ada and I live in Lisbon", "I like tea"), ask for them back ' +
  '("Where do I live?", "What did I say about tea?", "What did I tell you on 2026-11-20?"), ' +
  'and say "remember that …", "forget …" or "your name is …".';
