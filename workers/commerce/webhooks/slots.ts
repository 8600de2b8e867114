/** Places for work that goes on at the same time; whoever finds none waits, first come first served. */
export interface Slots {
  take(): Promise<void>;
  give(): void;
}

export function createSlots(places: number): Slots {
  const waiting: (() => void)[] = [];
  let free = places;
  return {
    take() {
      if (free === 0) return new Promise((resolve) => waiting.push(resolve));
      free -= 1;
      return Promise.resolve();
    },
    give() {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    },
  };
}
