/** The latest state of the tenant that a client has heard of. */
export interface Heard {
  /** The token of that state. Reads send it, so that they see at least that state, whichever process answers. */
  readAfter?: string;
}

interface Sink {
  next: (result: never) => void;
}

/** Keeps the token of an answer, if it has one and it is greater: answers may arrive in another order than their writes. */
export function heedReadAfter(heard: Heard, token: unknown): void {
  if (typeof token === 'string' && token > (heard.readAfter ?? '')) heard.readAfter = token;
}

/**
 * Wraps the sink of a socket and keeps the tokens of its results. Where replicas are read, the results of mutations and the events of
 * subscriptions have one.
 */
export const heedingResults = <Results extends Sink>(heard: Heard, sink: Results): Results => ({
  ...sink,
  next(result) {
    heedReadAfter(heard, (result as { extensions?: Record<string, unknown> }).extensions?.['readAfter']);
    sink.next(result);
  },
});
