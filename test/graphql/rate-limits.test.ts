import { beforeEach, describe, expect, onTestFinished, vi } from 'vitest';
import { openDatabase } from '#src/infra/postgres/database.ts';
import { test as appTest } from '#test/setup/app-test.ts';
import type { TestApp, TokenClaims } from '#test/setup/app.ts';
import { connect, ofOperation, subscribe } from '#test/setup/live.ts';
import { makeWorkflow } from '#test/setup/runs.ts';

/** A minute's window, since a busy machine may take more than a second for 30 requests. */
const rates = { user: { perSecond: 0, perMinute: 30 } };
const me = '{ me { claims { sub } } }';
const accept = { accept: 'application/graphql-response+json' };

let here: TestApp;
let there: TestApp;
const test = appTest.extend('appOptions', { scope: 'file' }, { rates });
test.beforeAll(async ({ api, startBeside }) => {
  here = api;
  there = await startBeside({ rates });
});

let users = 0;
let user: TokenClaims;
/** Everyone has a budget of their own. */
beforeEach(() => {
  user = { sub: `user-${(users += 1)}` };
});

const makeHeaders = async (claims: TokenClaims = {}, tenant = 'acme-shop') => ({
  authorization: `Bearer ${await here.token({ ...user, ...claims })}`,
  'x-tenant-id': tenant,
});
const rest = async ({ app }: TestApp, url = '/api/v1/me', tenant?: string) =>
  app.inject({ method: 'GET', url, headers: await makeHeaders({}, tenant) });
const post = async ({ app }: TestApp, payload: object, headers: object = {}) =>
  app.inject({ method: 'POST', url: '/graphql', headers: { ...(await makeHeaders()), ...headers }, payload });

/** Uses up `many` requests of the user's second. */
const use = async (many: number): Promise<void> => {
  const answers = await Promise.all(Array.from({ length: many }, () => rest(here)));
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200));
};

/** Lets so many seconds pass, by the database's clock and that of the processes, until the test ends. */
async function passes(seconds: number): Promise<void> {
  await here.database.system.query('UPDATE rate_windows SET tenth = tenth - $1', [seconds * 10]);
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + seconds * 1_000);
  onTestFinished(() => clock.mockRestore());
}

describe('the rate limit', () => {
  test('refuses the 31st request over REST, and admits it once the first are older than the window', async () => {
    await use(30);
    const refused = await rest(there);
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toEqual({ message: 'Too Many Attempts.' });
    const seconds = Number(refused.headers['retry-after']);
    expect(Number.isInteger(seconds) && seconds >= 1 && seconds <= 61).toBe(true);
    await passes(seconds);
    expect((await rest(here)).statusCode).toBe(200);
  });

  test('says when to retry, and admits a request then', async ({ startBeside }) => {
    const strict = await startBeside({ rates: { user: { perSecond: 0, perMinute: 1 } } });
    const answers = await Promise.all([rest(strict), rest(strict), rest(strict)]);
    const refused = answers.filter(({ statusCode }) => statusCode === 429);
    expect(refused).toHaveLength(2);
    const seconds = Math.max(...refused.map(({ headers }) => Number(headers['retry-after'])));
    expect(seconds).toBeLessThanOrEqual(61);
    await passes(seconds);
    expect((await rest(strict)).statusCode).toBe(200);
  });

  test('refuses over GraphQL with status, header and code, executing nothing', async () => {
    await use(30);
    for (const headers of [{}, accept, { accept: 'application/json; charset=utf-8' }]) {
      const refused = await post(here, { query: me }, headers);
      expect(refused.statusCode).toBe(429);
      expect(refused.headers['retry-after']).toMatch(/^\d+$/);
      const { data, errors } = refused.json();
      expect(data).toBeUndefined();
      expect(errors).toEqual([
        {
          message: 'Too Many Attempts.',
          extensions: { code: 'TOO_MANY_ATTEMPTS', retryAfter: Number(refused.headers['retry-after']) },
        },
      ]);
    }
    const write = 'mutation { createWorkflow(input: { name: "Never" }) { ... on Error { code } } }';
    expect((await post(here, { query: write })).statusCode).toBe(429);
    const found = await here.database.withTenant('acme-shop', (tx) => tx.workflow.count({ where: { name: 'Never' } }));
    expect(found).toBe(0);
  });

  test('admits exactly 30 of 200 concurrent requests, over two processes and both APIs', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => {
        const process = index % 2 ? here : there;
        return index % 4 < 2 ? rest(process) : post(process, { query: me });
      }),
    );
    const count = (status: number) => answers.filter(({ statusCode }) => statusCode === status).length;
    expect([count(200), count(429)]).toEqual([30, 170]);
    expect(answers.filter(({ headers }) => headers['retry-after'] !== undefined)).toHaveLength(170);
  });

  test('is one for all tenants of a user, and one for each user', async () => {
    await use(29);
    expect((await rest(there, '/api/v1/me', 'acme-outlet')).statusCode).toBe(200);
    expect((await rest(here, '/api/v1/me', 'acme-shop')).statusCode).toBe(429);
    user = { sub: 'somebody else' };
    expect((await rest(here)).statusCode).toBe(200);
  });

  test('counts requests that are refused for other reasons, but neither invalid tokens nor public requests', async () => {
    await use(27);
    expect((await rest(here, '/api/v1/workflows/999999')).statusCode).toBe(404);
    expect((await rest(here, '/api/v1/runs?status[]=nonsense')).statusCode).toBe(422);
    expect((await rest(here, '/api/v1/me', 'other-shop')).statusCode).not.toBe(429);
    const bad = { authorization: 'Bearer bad' };
    const strangers = Array.from({ length: 40 }, () => here.app.inject({ url: '/api/v1/me', headers: bad }));
    for (const { statusCode } of await Promise.all(strangers)) expect(statusCode).toBe(401);
    expect((await rest(here)).statusCode).toBe(429);
    const open = Array.from({ length: 40 }, () => rest(here, '/api/v1/schemas'));
    for (const { statusCode } of await Promise.all(open)) expect(statusCode).toBe(200);
  });

  test('refuses a body before it is read', async () => {
    await use(30);
    const answer = await here.app.inject({
      method: 'POST',
      url: '/api/v1/workflows',
      headers: await makeHeaders({ roles: ['admin'] }),
      payload: Buffer.from('{'),
    });
    expect(answer.statusCode).toBe(429);
  });

  test('counts an expensive document as several requests, and each operation of a batch', async () => {
    const dear = `{ ${Array.from({ length: 10 }, (_, index) => `r${index}: runs(first: 100) { edges { node { id workflow { id } } } }`).join(' ')} }`;
    expect((await post(here, { query: dear })).json().errors).toBeUndefined();
    // 10 times 201 points are five requests of 500; 25 are left.
    const operations = Array.from({ length: 5 }, () => ({ query: me }));
    const batches = await Promise.all(Array.from({ length: 6 }, () => post(here, operations)));
    const results = batches.flatMap((batch) => batch.json());
    const refused = results.filter(({ errors }) => errors?.[0].extensions.code === 'TOO_MANY_ATTEMPTS');
    expect([results.length, refused.length]).toEqual([30, 5]);
    expect(refused.every(({ errors }) => errors[0].extensions.retryAfter >= 1)).toBe(true);
  });

  test('applies to sockets: to queries, and to subscriptions at their start', async () => {
    const workflowId = await makeWorkflow(here.deps, 'acme-shop', `Watched by ${user.sub}`);
    const client = await connect(there, user);
    const watch = 'subscription ($workflowId: ID) { runUpdated(workflowId: $workflowId) { databaseId } }';
    for (let index = 0; index < 20; index++) subscribe(client, `s${index}`, watch, { workflowId });
    for (let index = 0; index < 10; index++) subscribe(client, `q${index}`, me);
    await client.until((messages) => messages.filter(({ type }) => type === 'complete').length === 10);
    expect((await rest(here)).statusCode).toBe(429);
    subscribe(client, 'more', me);
    subscribe(client, 'watch', watch, { workflowId });
    for (const id of ['more', 'watch']) {
      const [first] = await client.until((messages) => {
        const own = ofOperation(messages, id);
        return own.length > 0 && own;
      });
      expect(JSON.stringify(first?.payload)).toContain('"code":"TOO_MANY_ATTEMPTS","retryAfter":');
    }
    client.socket.close();
  });

  test('admits nothing while it cannot count, and says that this is temporary', async () => {
    await rest(there);
    const gone = openDatabase({ url: 'postgresql://nobody@127.0.0.1:1/nowhere', poolSize: 2 });
    const { system } = there.database;
    there.database.system = gone.system;
    const before = there.logLines.length;
    const [overRest, overGraphql] = [await rest(there), await post(there, { query: me })];
    await Promise.all(Array.from({ length: 20 }, () => rest(there)));
    const logged = there.logLines.slice(before).filter((line) => line.includes('requests were refused'));
    there.database.system = system;
    await gone.close();
    expect([overRest.statusCode, overRest.json().message]).toEqual([
      503,
      'The service is unavailable. Try again shortly.',
    ]);
    expect(overGraphql.json().errors[0].extensions.code).toBe('UNAVAILABLE');
    expect([overRest, overGraphql].map(({ headers }) => headers['retry-after'])).toEqual(['1', '1']);
    expect(there.logLines.slice(before).filter((line) => line.includes('unexpected error'))).toEqual([]);
    expect(logged.length).toBeGreaterThan(0);
    expect(logged.length).toBeLessThan(5);
    expect((await rest(there)).statusCode).toBe(200);
  });
});
