// `palimpsest/client`: a typed client of `palimpsest serve`, for programs and browsers.
export { ApiError, type ApiErrorDetails, type InvalidField } from "../surfaces/client/api-error.ts";
export type {
  Api,
  ApiRequest,
  CallName,
  CallOptions,
  CallResult,
  DownloadName,
  RequestArgument,
  StreamName,
} from "../surfaces/client/api-types.ts";
export {
  type Client,
  type ClientOptions,
  type ConversationPlace,
  createClient,
  type TurnRequest,
} from "../surfaces/client/create-client.ts";
