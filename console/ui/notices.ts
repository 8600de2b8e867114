/** What happened, for a few seconds at the foot of the page. Failures stay until they are closed. */
export interface Notice {
  kind: 'pending' | 'done' | 'failed';
  text: string;
  /** Something to do about it, such as undo. */
  action?: { label: string; run: () => void };
}

export interface ShownNotice extends Notice {
  key: number;
  close: () => void;
}

const shownMs = 5_000;
let notices: readonly ShownNotice[] = [];
let lastKey = 0;
const listeners = new Set<() => void>();

export const readNotices = (): readonly ShownNotice[] => notices;

export function subscribeNotices(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Shows a notice; the result replaces it (pending, then done or failed) or, without an argument, closes it. */
export function notify(notice: Notice): (next?: Notice) => void {
  lastKey += 1;
  const key = lastKey;
  const show = (next?: Notice): void => {
    const shown = next && { ...next, key, close: () => show() };
    const isKnown = notices.some((other) => other.key === key);
    notices = isKnown
      ? notices.flatMap((other) => (other.key !== key ? [other] : shown ? [shown] : []))
      : shown
        ? [...notices.slice(-3), shown]
        : notices;
    for (const listener of listeners) listener();
    if (next?.kind === 'done') setTimeout(() => show(), shownMs);
  };
  show(notice);
  return show;
}
