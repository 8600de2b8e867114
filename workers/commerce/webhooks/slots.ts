/** Slots for concurrent work; without a free one, callers wait in the order they came. */
export interface Slots {
  take(): Promise<void>;
  /** Takes a slot where one is free, and answers whether it did. Who waits for one goes first: while they do, none is free. */
  takeNow(): boolean;
  give(): void;
  /** Changes how many there are. Where fewer are left than are taken, none is free until enough were given back. */
  resize(places: number): void;
}

export function createSlots(places: number): Slots {
  const waiting: (() => void)[] = [];
  let most = places;
  let taken = 0;
  function hand(): void {
    while (taken < most) {
      const next = waiting.shift();
      if (!next) return;
      taken += 1;
      next();
    }
  }
  function takeNow(): boolean {
    const isFree = taken < most;
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
      most = to;
      hand();
    },
  };
}
