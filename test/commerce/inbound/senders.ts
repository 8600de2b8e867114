import { createHmac } from 'node:crypto';
import { signBody, signMessage } from '#src/infra/signing/webhook-signatures.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import type { TestApp } from '#test/setup/app.ts';

export const secret = 'the-secret-of-the-erp';

/** An inbound endpoint as REST shows it. */
export interface Endpoint {
  id: number;
  endpoint_id: string;
  url: string;
  status: string;
  config: object;
}

/** Makes an endpoint that is bound to a topic, unless told otherwise. */
export async function makeEndpoint(api: TestApp, given: object = {}): Promise<Endpoint> {
  const body = { name: 'ERP', config: { secret }, topic: 'erp.order.booked', ...given };
  const { body: made } = await callPlatform(api, 'POST', '/webhooks/inbound-endpoints', { body });
  return made as unknown as Endpoint;
}

export interface Sent {
  body?: string | Buffer;
  headers?: Record<string, string>;
  query?: string;
}

/** Posts to an endpoint, by default the JSON `{"number":"1001"}`. */
export async function send(
  api: TestApp,
  endpointId: string,
  { body = '{"number":"1001"}', headers = {}, query = '' }: Sent,
) {
  const response = await api.app.inject({
    method: 'POST',
    url: `/in/${endpointId}${query}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload: body,
  });
  return { status: response.statusCode, body: response.json<Record<string, unknown>>() };
}

const seconds = (offset: number): string => String(Math.floor(Date.now() / 1_000) + offset);

/** The headers that this system signs its own deliveries with. */
export const platformHeaders = (
  body: string,
  { id = 'event-1', secrets = [secret], offset = 0 }: { id?: string; secrets?: string[]; offset?: number } = {},
): Record<string, string> => ({
  'x-platform-id': id,
  'x-platform-timestamp': seconds(offset),
  'x-platform-signature': signBody(Buffer.from(body), secrets),
});

export function standardHeaders(body: string, { id = 'event-1', secrets = [secret], offset = 0 } = {}) {
  const timestamp = seconds(offset);
  const signature = signMessage({ id, timestamp, body: Buffer.from(body) }, secrets);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
}

export const computeHmac = (text: string, encoding: 'hex' | 'base64', algorithm = 'sha256'): string =>
  createHmac(algorithm, secret).update(text).digest(encoding);

/** Sends a call that is signed as this system signs, with this event id. */
export const sendSigned = (api: TestApp, endpointId: string, id: string, body = '{"number":"1001"}') =>
  send(api, endpointId, { body, headers: platformHeaders(body, { id }) });
