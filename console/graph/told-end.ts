/** What a subscription tells its receiver, as far as its end matters. */
interface Sink {
  next: (result: never) => void;
  complete: () => void;
}

/** Whether a subscription has ended without an event. */
export const hasEnded = (extensions: Record<string, unknown> | undefined): boolean => extensions?.['hasEnded'] === true;

/** A sink that is told by a last result of a subscription that ends without an event: urql's hook does not tell of the end of its source. */
export function toldEnd<Events extends Sink>(sink: Events): Events {
  let hasEvent = false;
  return {
    ...sink,
    next(result) {
      hasEvent = true;
      sink.next(result);
    },
    complete() {
      if (!hasEvent) sink.next({ data: null, extensions: { hasEnded: true } } as never);
      sink.complete();
    },
  };
}
