/**
 * The least a server can do for a list of runs: `node:http`, one prepared statement through `pg`, JSON.stringify. No
 * authentication, no row-level security, no GraphQL: it is the ceiling our own answer is compared with.
 *
 * Settings (environment): DATABASE_URL; SQL_FILE, the statement, whose $1 is the tenant (from X-Tenant-Id) and whose
 * column names are the JSON's keys; ROOT, the connection's name in the answer; POOL_SIZE.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import pg from 'pg';

// The graph answers ids as Int; pg leaves bigint a string.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const text = readFileSync(process.env.SQL_FILE, 'utf8');
const root = process.env.ROOT ?? 'runs';
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: Number(process.env.POOL_SIZE ?? 10) });

const server = createServer((request, response) => void answer(request, response));

async function answer(request, response) {
  request.resume();
  try {
    const { rows } = await page(request.headers['x-tenant-id']);
    send(response, 200, { data: { [root]: { edges: rows.map((node) => ({ node })) } } });
  } catch {
    send(response, 500, { errors: [{ message: 'The statement failed.' }] });
  }
}

async function page(tenant) {
  return pool.query({ name: 'page', text, values: [tenant] });
}

function send(response, status, body) {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ ready: true, port: server.address().port })}\n`);
});
process.once('SIGTERM', () => process.exit(0));
