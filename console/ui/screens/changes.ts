const listeners = new Set<() => void>();

/** To be called after a mutation: lists without a subscription are read again. */
export function announceChange(): void {
  for (const listener of listeners) listener();
}

/** Calls the listener after each mutation of this page, and when the reader comes back after `staleMs` or longer. */
export function subscribeChanges(listener: () => void, staleMs: number): () => void {
  let leftAt = Date.now();
  const onVisible = () => {
    if (document.visibilityState === 'hidden') leftAt = Date.now();
    else if (Date.now() - leftAt >= staleMs) listener();
  };
  listeners.add(listener);
  document.addEventListener('visibilitychange', onVisible);
  return () => {
    listeners.delete(listener);
    document.removeEventListener('visibilitychange', onVisible);
  };
}
