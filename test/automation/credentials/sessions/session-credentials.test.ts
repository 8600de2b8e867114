import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect } from 'vitest';
import { accessToken } from '#src/automation/credentials/oauth/token-refresh.service.ts';
import { registerBuiltinPackages } from '#src/automation/packages/builtin-packages.service.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

/** An API that gives a session token for a name and a password, and ends sessions when it is told to. */
interface SessionApi {
  logins: { type: string; authorization: string; body: string }[];
  answer: (token: string, response: ServerResponse) => void;
  endSessions: () => void;
}

let given = 0;
let ended = 0;
const state: SessionApi = {
  logins: [],
  answer: () => undefined,
  endSessions: () => {
    ended = given;
  },
};

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += part as string;
  return body;
}

const server = createServer((request, response) => {
  void readBody(request).then((body) => {
    if (request.url === '/login') {
      given += 1;
      const { 'content-type': type = '', authorization = '' } = request.headers;
      state.logins.push({ type, authorization, body });
      return state.answer(`session-canary-${given}`, response);
    }
    const number = Number(/session-canary-(\d+)/.exec(JSON.stringify(request.headers))?.[1] ?? 0);
    if (number <= ended) response.statusCode = 401;
    return response.end('{}');
  });
});

let api: TestApp;
let url = '';
test.beforeAll(async ({ api: started }) => {
  api = started;
  await registerBuiltinPackages(api.deps);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  url = `http://${host}`;
  api.egressAllow.add(host);
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});
beforeEach(() => {
  state.logins.length = 0;
  state.answer = (token, response) => response.end(JSON.stringify({ data: { token } }));
});

const config = (more: object = {}) => ({
  login_url: `${url}/login`,
  username: 'erp',
  password: 'session-password-canary',
  token_name: 'data.token',
  test_url: `${url}/orders`,
  ...more,
});
let made = 0;
async function create(more: object = {}): Promise<number> {
  made += 1;
  const body = { credential_type_slug: 'core:session', name: `ERP ${made}`, config: config(more) };
  const answer = await call(api, 'POST', '/credentials', { body });
  if (answer.status !== 201) throw new Error(answer.text);
  return Number(answer.body['id']);
}
const token = (id: number) => accessToken(api.deps, 'acme-shop', BigInt(id));
const testIt = async (id: number) => (await call(api, 'POST', `/credentials/${id}/test`)).body;

const answers: [string, object, SessionApi['answer']][] = [
  ['a member of the body', {}, (value, response) => response.end(JSON.stringify({ data: { token: value } }))],
  ['the body, as a JSON string', { token_name: null }, (value, response) => response.end(JSON.stringify(value))],
  ['the body, as text', { token_name: null }, (value, response) => response.end(`${value}\n`)],
  [
    'a header',
    { token_in: 'header', token_name: 'X-Session' },
    (value, response) => response.setHeader('x-session', value).end('{}'),
  ],
  [
    'a cookie',
    { token_in: 'cookie', token_name: 'sid', header: 'cookie', prefix: 'sid=' },
    (value, response) => response.setHeader('set-cookie', ['a=b; Path=/', `sid=${value}; HttpOnly`]).end(),
  ],
];

const requests: [string, object, { type?: RegExp; body?: unknown; authorization?: RegExp }][] = [
  ['JSON', {}, { type: /json/, body: '{"username":"erp","password":"session-password-canary"}' }],
  [
    'JSON with members of other names',
    { username_member: 'params.login', password_member: 'params.pass', login_body: { params: { db: 'main' } } },
    { body: '{"params":{"db":"main","login":"erp","pass":"session-password-canary"}}' },
  ],
  ['a form', { login_as: 'form' }, { type: /urlencoded/, body: 'username=erp&password=session-password-canary' }],
  ['HTTP basic', { login_as: 'basic' }, { authorization: /^Basic ZXJwOnNlc3/, body: '' }],
];

describe('a credential that signs in for a session', () => {
  test.for(answers)('finds the token in %s and sends it with requests', async ([, settings, answer]) => {
    state.answer = answer;
    expect(await testIt(await create(settings))).toMatchObject({ ok: true, message: 'The test URL answered 200.' });
  });

  test.for(requests)('sends name and password as %s', async ([, settings, { type, body, authorization }]) => {
    await token(await create(settings));
    const [login] = state.logins;
    if (type) expect(login?.type).toMatch(type);
    if (authorization) expect(login?.authorization).toMatch(authorization);
    expect(login?.body).toBe(body);
  });

  test('signs in once for all, and again when the API refuses the token or its lifetime ends', async () => {
    const id = await create();
    const tokens = await Promise.all(Array.from({ length: 10 }, () => token(id)));
    expect(new Set(tokens).size).toBe(1);
    expect(state.logins).toHaveLength(1);
    state.endSessions();
    expect(await testIt(id)).toMatchObject({ ok: true });
    expect(state.logins).toHaveLength(2);
    const short = await create({ lifetime_s: 1 });
    const first = await token(short);
    await expect.poll(() => token(short), { timeout: 5_000 }).not.toBe(first);
  });

  test('says what is wrong with a sign-in, without its secrets', async () => {
    const cases: [string, object, SessionApi['answer']][] = [
      ['the sign-in answered 403', {}, (_, response) => response.writeHead(403).end('session-password-canary')],
      ['the sign-in answered 503', {}, (_, response) => response.writeHead(503).end()],
      ['the sign-in answered 302', {}, (_, response) => response.writeHead(302, { location: '/elsewhere' }).end()],
      ['has no member data.token', {}, (_, response) => response.end('<html>')],
      ['has no header x-none', { token_in: 'header', token_name: 'x-none' }, (_, response) => response.end()],
      ['has no cookie sid', { token_in: 'cookie', token_name: 'sid' }, (_, response) => response.end()],
    ];
    for (const [message, settings, answer] of cases) {
      state.answer = answer;
      const body = { credential_type_slug: 'core:session', config: config(settings) };
      const outcome = (await call(api, 'POST', '/credentials/test', { body })).body;
      expect(outcome).toEqual({ ok: false, message: expect.stringContaining(message) });
      expect(JSON.stringify(outcome)).not.toContain('canary');
    }
  });
});
