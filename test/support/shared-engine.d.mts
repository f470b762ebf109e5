// The types of the module beside, which tests reach through the global `sharedEngine` of their environment.
export interface SharedEngine {
  readonly folder: string;
  pristine: { readonly schema: string; readonly newestId: number } | undefined;
}

export function takeEngine(prepare: (folder: string) => Promise<void>): Promise<SharedEngine | undefined>;
export function giveBackEngine(): void;
export function giveUpEngine(): Promise<void>;
