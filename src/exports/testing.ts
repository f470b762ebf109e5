// `palimpsest/testing`: a model that gives scripted replies, for tests of programs built on Palimpsest.
export {
  createScriptedModel,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedReplies,
  type ScriptedReply,
  type ScriptedToolCall,
} from "../llm/scripted/scripted-model.ts";
