import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { acknowledge, type Platform } from './acknowledge.ts';
import { articles, customers, prices, stock } from './master-data.ts';
import { createNumbers } from './numbers.ts';

/**
 * A stand-in for an ERP: it keeps what it receives in memory and shows it at GET /receipts.
 *
 *   POST /orders          201 {erpNumber, status}; the same Idempotency-Key again: 200 with the first response. An order with
 *                         a platformId is then acknowledged at the platform that it was started with.
 *   GET  /orders/:number  by ERP number or external number
 *   GET  /stock/:sku      {article, onHand}
 *   GET  /stock           {items: [{article, onHand}]}
 *   GET  /prices          {items: [{list, article, from, net}]}
 *   GET  /customers       {items: [{number, name, terms, address}]}
 *   GET  /health          200
 */
export interface Receipt {
  at: string;
  idempotencyKey: string | null;
  erpNumber: string;
  /** How often the same key arrived. */
  times: number;
  order: ErpOrder;
  /** The platform's response to the acknowledgement; null until it has responded, and for an order without a platformId. */
  acknowledged: string | null;
}

interface ErpOrder {
  externalNumber: string;
  platformId?: number;
  currency?: string;
  lines: { article: string; quantity: string }[];
  /** Other members that a sender adds. */
  [more: string]: unknown;
}

export interface Erp {
  url: string;
  receipts: readonly Receipt[];
  close(): Promise<void>;
}

const maxBodyBytes = 1024 * 1024;
const maxReceipts = 10_000;

interface Options {
  /** 0 picks a free one. */
  port?: number;
  /** Requests need it as their bearer token. */
  token?: string;
  /** The platform at which it acknowledges the orders that it books. */
  platform?: Platform;
  /** Stores the last number of an order; without it, numbers begin with 1. */
  numbersFile?: string;
}

/** Listens on loopback. */
export async function startErp({ port = 0, token, platform, numbersFile }: Options = {}): Promise<Erp> {
  const receipts: Receipt[] = [];
  const nextNumber = createNumbers(numbersFile);
  const server = createServer((request, response) => {
    answer(request, { receipts, token, platform, nextNumber })
      .catch((error: unknown) => ({
        status: 400,
        body: { message: error instanceof Error ? error.message : 'Bad request.' },
      }))
      .then(({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    receipts,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

interface Answer {
  status: number;
  body: unknown;
}

interface Books {
  receipts: Receipt[];
  token: string | undefined;
  platform: Platform | undefined;
  nextNumber: () => string;
}

async function answer(request: IncomingMessage, books: Books): Promise<Answer> {
  const { receipts, token } = books;
  if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
    return { status: 401, body: { message: 'The token is wrong.' } };
  }
  const [path = '', id = ''] = new URL(request.url ?? '/', 'http://erp').pathname.slice(1).split('/');
  switch (`${request.method} ${path}`) {
    case 'GET health':
      return { status: 200, body: { status: 'ok' } };
    case 'GET receipts':
      return { status: 200, body: { receipts } };
    case 'POST orders':
      return createOrder(request, books);
    case 'GET orders': {
      const found = receipts.find(({ erpNumber, order }) =>
        [erpNumber, order.externalNumber].includes(decodeURIComponent(id)),
      );
      return found === undefined
        ? { status: 404, body: { message: 'No such order.' } }
        : { status: 200, body: { erpNumber: found.erpNumber, status: 'open', ...found.order } };
    }
    case 'GET prices':
      return { status: 200, body: { items: prices } };
    case 'GET articles':
      return { status: 200, body: { items: articles } };
    case 'GET customers':
      return { status: 200, body: { items: customers } };
    case 'GET stock': {
      if (id === '')
        return {
          status: 200,
          body: { items: Object.entries(stock).map(([article, onHand]) => ({ article, onHand })) },
        };
      const article = decodeURIComponent(id);
      const onHand = Object.hasOwn(stock, article) ? stock[article] : undefined;
      return onHand === undefined
        ? { status: 404, body: { message: 'No such article.' } }
        : { status: 200, body: { article, onHand } };
    }
    default:
      return { status: 404, body: { message: 'No such resource.' } };
  }
}

async function createOrder(request: IncomingMessage, { receipts, platform, nextNumber }: Books): Promise<Answer> {
  const order = (await readJson(request)) as Partial<ErpOrder> | null;
  if (typeof order?.externalNumber !== 'string' || !Array.isArray(order.lines) || order.lines.length === 0) {
    return { status: 422, body: { message: 'An order needs externalNumber and lines.' } };
  }
  const key = request.headers['idempotency-key'];
  const idempotencyKey = typeof key === 'string' ? key : null;
  const first =
    idempotencyKey === null ? undefined : receipts.find((receipt) => receipt.idempotencyKey === idempotencyKey);
  if (first !== undefined) {
    first.times += 1;
    return { status: 200, body: { erpNumber: first.erpNumber, status: 'open' } };
  }
  if (receipts.length >= maxReceipts)
    return { status: 503, body: { message: 'The stand-in is full; start it again.' } };
  const erpNumber = nextNumber();
  const receipt: Receipt = {
    at: new Date().toISOString(),
    idempotencyKey,
    erpNumber,
    times: 1,
    order: order as ErpOrder,
    acknowledged: null,
  };
  receipts.push(receipt);
  if (platform && order.platformId !== undefined) void confirm(platform, receipt, order.platformId);
  return { status: 201, body: { erpNumber, status: 'open' } };
}

/** Runs after the response was sent: an ERP accepts an order immediately and books it later. */
async function confirm(platform: Platform, receipt: Receipt, orderId: number): Promise<void> {
  receipt.acknowledged = await acknowledge(platform, orderId, receipt.erpNumber);
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maxBodyBytes) throw new Error('The body is too large.');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '4010' },
      token: { type: 'string' },
      platform: { type: 'string' },
      tenant: { type: 'string', default: 'demo' },
      'key-file': { type: 'string' },
      'numbers-file': { type: 'string' },
    },
  });
  const { token, platform: url, tenant, 'key-file': keyFile, 'numbers-file': numbersFile } = values;
  const erp = await startErp({
    port: Number(values.port),
    ...(token === undefined ? {} : { token }),
    ...(numbersFile === undefined ? {} : { numbersFile }),
    ...(url === undefined || keyFile === undefined ? {} : { platform: { url, tenant, keyFile } }),
  });
  // When another program started it, it ends with that program.
  process.once('disconnect', () => process.exit());
  // Ended by the signal, Node would not save what it has compiled, and read its compiler of types at each start: 16 MiB.
  process.once('SIGTERM', () => process.exit());
  console.log(`Stand-in ERP at ${erp.url}; see what arrived at ${erp.url}/receipts`);
}
