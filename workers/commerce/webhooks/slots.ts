/** Slots for concurrent work; without a free one, callers wait in the order they came. */
export interface Slots {
  take(): Promise<void>;
  /** Takes a slot if one is free, and returns whether it did. Waiting callers come first: while one waits, none is free. */
  takeNow(): boolean;
  give(): void;
  /** Changes the number of slots. When more are taken than remain, none is free until enough are released. */
  resize(count: number): void;
}

export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let max = count;
  let taken = 0;
  function hand(): void {
    while (taken < max) {
      const next = waiting.shift();
      if (!next) return;
      taken += 1;
      next();
    }
  }
  function takeNow(): boolean {
    const isFree = taken < max;
    if (isFree) taken += 1;
    return isFree;
  }
  return {
    take: () => (takeNow() ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    takeNow,
    give() {
      taken -= 1;
      hand();
    },
    resize(to) {
      max = to;
      hand();
    },
  };
}
