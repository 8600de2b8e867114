/** Rung by what may be work; a ring that nobody waits for is remembered. */
export interface Bell {
  ring(): void;
  /** Resolves at the next ring, at once if it has rung since the last wait, or after `ms`. */
  wait(ms: number): Promise<void>;
}

export function createBell(): Bell {
  let rung = false;
  let waiting: (() => void) | undefined;
  return {
    ring() {
      rung = true;
      waiting?.();
    },
    async wait(ms) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          waiting = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        waiting = undefined;
      }
      rung = false;
    },
  };
}
