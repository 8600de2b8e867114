/** Calls `once` from `clients` concurrent loops for `seconds`; returns the number of completed calls a second. */
export async function measureRate(
  { seconds, clients }: { seconds: number; clients: number },
  once: () => Promise<unknown>,
): Promise<{ perSecond: number; done: number }> {
  const began = performance.now();
  const until = began + seconds * 1_000;
  let done = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < until) {
        await once();
        done += 1;
      }
    }),
  );
  return { perSecond: (done * 1_000) / (performance.now() - began), done };
}
