import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Row {
  id: number;
  revision: number;
  at: number;
  isGone: boolean;
}

export interface MovingList {
  readonly address: string;
  /** The revision of each row that the list shows. */
  shown(): Map<number, number>;
  /** How many pages were requested, and how many of them failed. */
  readonly pages: { asked: number; failed: number };
  /** Stops changing rows and failing pages. */
  rest(): void;
  stop(): void;
}

/** This many rows share each time, more than a page has. A statement that updates many rows has this effect. */
const rowsOfOneTime = 1_200;
const changesMs = 50;
const changesAtOnce = 5;

/**
 * An API with a list that is sorted by time and paged by offset. A hundred times a second, it changes or deletes a row. Some pages fail: with
 * 503, with HTML, or because the connection breaks.
 */
export async function startMovingList(options: {
  rows: number;
  pageSize: number;
  failing: number;
}): Promise<MovingList> {
  const { pageSize, failing } = options;
  const first = Date.now() - 86_400_000;
  // Sorted by time: a changed row is added at the end, and its old place is left empty.
  const rows: Row[] = Array.from({ length: options.rows }, (_, index) => ({
    id: index + 1,
    revision: 1,
    at: first + Math.floor(index / rowsOfOneTime) * 10,
    isGone: false,
  }));
  const places = new Map(rows.map((row) => [row.id, row]));
  const pages = { asked: 0, failed: 0 };
  let isResting = false;

  const change = (): void => {
    for (let n = 0; n < changesAtOnce; n += 1) {
      const row = places.get(1 + Math.floor(Math.random() * options.rows));
      if (!row) continue;
      row.isGone = true;
      if (n === 0) places.delete(row.id);
      else {
        const changed = { ...row, revision: row.revision + 1, at: Date.now(), isGone: false };
        places.set(row.id, changed);
        rows.push(changed);
      }
    }
  };
  const read = (since: number, offset: number): Row[] => {
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((rows[middle] as Row).at < since) low = middle + 1;
      else high = middle;
    }
    const found: Row[] = [];
    for (let skipped = 0; low < rows.length && found.length < pageSize; low += 1) {
      const row = rows[low] as Row;
      if (row.isGone) continue;
      if (skipped < offset) skipped += 1;
      else found.push(row);
    }
    return found;
  };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    pages.asked += 1;
    if (!isResting && Math.random() < failing) {
      pages.failed += 1;
      const how = pages.failed % 3;
      if (how === 0) return void request.socket.destroy();
      response.writeHead(how === 1 ? 503 : 200, { 'content-type': 'text/html' });
      return void response.end('<html>Back soon</html>');
    }
    const { searchParams: query } = new URL(request.url ?? '', 'http://localhost');
    const found = read(Date.parse(query.get('since') ?? '1970-01-01'), Number(query.get('offset') ?? 0));
    response.writeHead(200, { 'content-type': 'application/json' });
    const data = found.map(({ id, revision, at }) => ({ id, revision, updated_at: new Date(at).toISOString() }));
    response.end(JSON.stringify({ data }));
  };

  const changing = setInterval(change, changesMs);
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    shown: () => new Map([...places.values()].map(({ id, revision }) => [id, revision])),
    pages,
    rest() {
      isResting = true;
      clearInterval(changing);
    },
    stop() {
      clearInterval(changing);
      server.closeAllConnections();
      server.close();
    },
  };
}
