import { parentPort } from 'node:worker_threads';
import type { Site } from './attributes.ts';
import { sanitiseFragment } from './sanitise-fragment.ts';
import { TooDeepError } from './too-deep-error.ts';

/** A task for the thread, one at a time. */
export interface Order {
  html: string;
  site: Site;
}

/** Once 'ready'; then for each order the fragment in UTF-8, or null if it is nested too deeply. */
export type Report = 'ready' | Uint8Array<ArrayBuffer> | null;

const utf8 = new TextEncoder();

function carryOut({ html, site }: Order): Report {
  try {
    return utf8.encode(sanitiseFragment(html, site));
  } catch (error) {
    if (error instanceof TooDeepError) return null;
    throw error;
  }
}

const report = (content: Report): void =>
  parentPort?.postMessage(content, content instanceof Uint8Array ? [content.buffer] : []);

parentPort?.on('message', (order: Order) => report(carryOut(order)));
report('ready');
