import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { platformHeaders } from '#test/commerce/inbound/senders.ts';

const body = '{"number":"1001"}';

export const callEndpoint = (url: string, id: string): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...platformHeaders(body, { id }) },
    body,
  });

/** Calls an inbound endpoint from `clients` concurrent clients, each with one event after another, until told to stop. */
export function startCalls({ url, clients }: { url: string; clients: number }) {
  const refusals: { status: number; body: object }[] = [];
  const taken: string[] = [];
  const stopping = new AbortController();
  /** Sends each event until it is taken, as a sender does that may not lose any. */
  const client = async (name: number): Promise<void> => {
    for (let n = 0; !stopping.signal.aborted; n += 1) {
      const id = `${name}/${n}`;
      for (let answer = await callEndpoint(url, id); ; answer = await callEndpoint(url, id)) {
        const answered = (await answer.json()) as object;
        if (answer.status === 202) break;
        refusals.push({ status: answer.status, body: answered });
        await delay(20);
      }
      taken.push(id);
    }
  };
  const sending = Promise.all(Array.from({ length: clients }, (_, name) => client(name)));
  return {
    /** The ids of the events that were accepted. */
    taken,
    refusals,
    async untilTaken(more: number): Promise<void> {
      const before = taken.length;
      await expect.poll(() => taken.length, { timeout: 60_000 }).toBeGreaterThan(before + more);
    },
    async stop(): Promise<void> {
      stopping.abort();
      await sending;
    },
  };
}
