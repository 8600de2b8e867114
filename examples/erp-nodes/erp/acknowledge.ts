import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** The platform that orders come from, and the file of the API key that the ERP has there. */
export interface Platform {
  url: string;
  tenant: string;
  keyFile: string;
}

const waitsMs = [0, 500, 1_000, 2_000, 4_000, 8_000];

/**
 * Sends the ERP's number of an order to the platform, and returns its response. Acknowledging again has no second effect, so an attempt
 * without a response, one that is too early (429) and a failure of the platform are repeated.
 */
export async function acknowledge(platform: Platform, orderId: number, erpNumber: string): Promise<string> {
  let outcome = '';
  for (const wait of waitsMs) {
    await delay(wait);
    try {
      const response = await post(platform, orderId, erpNumber);
      outcome = `${response.status}`;
      if (response.status !== 429 && response.status < 500) return outcome;
    } catch (error) {
      outcome = error instanceof Error ? error.message : 'failed';
    }
  }
  return outcome;
}

const post = async ({ url, tenant, keyFile }: Platform, orderId: number, erpNumber: string): Promise<Response> =>
  fetch(`${url}/v1/orders/${orderId}/acknowledge`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-platform-tenant': tenant,
      'x-platform-api-key': (await readFile(keyFile, 'utf8')).trim(),
    },
    body: JSON.stringify({ erp_number: erpNumber }),
    signal: AbortSignal.timeout(10_000),
  });
