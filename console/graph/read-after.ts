/** What a client has heard of its tenant. */
export interface Heard {
  /** The token of it. Reads send it, so that they find what was heard of, whichever process answers. */
  readAfter?: string;
}

interface Sink {
  next: (result: never) => void;
}

/** Keeps the token of an answer, if it has one. The answer to a later write may have come before: the greater token is the later one. */
export function heedReadAfter(heard: Heard, token: unknown): void {
  if (typeof token === 'string' && token > (heard.readAfter ?? '')) heard.readAfter = token;
}

/** A sink of a socket's results: those of mutations and the events of subscriptions have a token where replicas are read. */
export const heedingResults = <Results extends Sink>(heard: Heard, sink: Results): Results => ({
  ...sink,
  next(result) {
    heedReadAfter(heard, (result as { extensions?: Record<string, unknown> }).extensions?.['readAfter']);
    sink.next(result);
  },
});
