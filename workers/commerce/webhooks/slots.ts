/** Slots for concurrent work; without a free one, callers wait in the order they came. */
export interface Slots {
  take(): Promise<void>;
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
  return {
    take() {
      if (taken >= most) return new Promise((resolve) => waiting.push(resolve));
      taken += 1;
      return Promise.resolve();
    },
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
