// Test doubles for programs built on Palimpsest: a model that says what a script tells it to.
export {
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
  createScriptedModel,
} from "./llm/scripted/scripted-model.ts";
