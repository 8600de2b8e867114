/** Wakes a loop that waits for work. A signal sent while no loop waits is kept for the next wait. */
export interface WakeUp {
  signal: () => void;
  /** Resolves at the next signal, immediately if one came since the last wait, or after `ms`. */
  wait(ms: number): Promise<void>;
}

export function createWakeUp(): WakeUp {
  let isSignalled = false;
  let resume: (() => void) | undefined;
  return {
    signal() {
      isSignalled = true;
      resume?.();
    },
    async wait(ms) {
      if (!isSignalled) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          resume = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        resume = undefined;
      }
      isSignalled = false;
    },
  };
}
