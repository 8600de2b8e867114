/**
 * What the child process gives to a context. The modules of this folder become the body of one strict function whose
 * parameters are the three values below; it runs once per context, before the node's code. Node code shares the realm
 * and must never reach `post`: no module makes it a property, an argument or a `this` that node code can see, and strict
 * mode hides the frames from `Error.prepareStackTrace`.
 */
export type Post = (kind: string, a: string, b: string, c: string) => void;
export type Ask = (operation: string, a: string, b: string, c: string) => string;

/** The messages of the host: `start entry input`, `reply call ok|error json`, `timer id`, `abort message code`. */
export type Dispatch = (kind: string, a: string, b: string, c: string) => void;

export type RealmLimits = {
  logLines: number;
  logLineChars: number;
  errorChars: number;
  outputChars: number;
  pendingCalls: number;
  calls: number;
  callChars: number;
  timers: number;
};

declare const hostPost: Post;
declare const hostAsk: Ask;
declare const hostLimits: string;

/** Sends a message to the host and does not wait. */
export const post = hostPost;
/** Calls the host and waits for its answer. */
export const ask = hostAsk;
export const limits = JSON.parse(hostLimits) as RealmLimits;
