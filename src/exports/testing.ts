// `palimpsest/testing`: a model that returns scripted replies, for tests of programs that use Palimpsest.
export {
  createScriptedModel,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedReplies,
  type ScriptedReply,
  type ScriptedToolCall,
} from "../model/llm/scripted/scripted-model.ts";
