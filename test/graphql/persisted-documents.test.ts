import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { createGraph } from '#src/graphql/graph.ts';
import { readPersistedDocuments } from '#src/graphql/persisted-documents.ts';
import { readEnv } from '#src/process/env.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { ofOperation } from '#test/setup/live.ts';
import { makeRun, makeWorkflow } from '#test/setup/runs.ts';
import { schema } from '#test/setup/schema.ts';
import { faces, openFaces, createPersisted, sha256 } from './transports.ts';

const who = 'query Who { me { claims { sub } } }';
const run = 'query Run($id: ID!) { run(id: $id) { status } }';
const watch = 'subscription Watch($id: ID) { runUpdated(id: $id) { status } }';
const stranger = '{ me { user { idpId } } }';

let free: TestApp;
let only: TestApp;
let directory: string;
test.beforeAll(async ({ startBeside }) => {
  directory = await mkdtemp(join(tmpdir(), 'causeway-documents-'));
  free = await startBeside({ persisted: createPersisted([who, run, watch]) });
  only = await startBeside({ persisted: createPersisted([who, run, watch], true) });
});
afterAll(() => rm(directory, { recursive: true }));

const byHash = (text: string) => ({ persistedQuery: { version: 1, sha256Hash: sha256(text) } });
const unknown = [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }];
const notAllowed = [{ message: 'Only persisted documents are executed here.', extensions: { code: 'BAD_REQUEST' } }];

describe('a persisted document', () => {
  test.each(faces)('is executed with its variables over %s', async (face) => {
    const to = await openFaces(free);
    const id = await makeRun(free.deps, 'acme-shop', await makeWorkflow(free.deps, 'acme-shop', `By ${face}`));
    expect((await to.ask(face, { query: who })).data).toEqual({ me: { claims: { sub: 'test-admin' } } });
    expect((await to.ask(face, { query: run, variables: { id }, operationName: 'Run' })).data).toEqual({
      run: { status: 'QUEUED' },
    });
    to.close();
  });

  test('is found by a hash in capitals, and in each operation of a batch', async () => {
    const to = await openFaces(free);
    const loud = { persistedQuery: { version: 1, sha256Hash: sha256(who).toUpperCase() } };
    const answer = await to.post([{ extensions: loud }, { extensions: byHash(run), variables: { id: '1.5' } }]);
    expect(answer).toMatchObject({ 0: { data: { me: {} } }, 1: { data: { run: null } } });
    to.close();
  });

  test('is shared by all its subscribers', async () => {
    const to = await openFaces(free);
    const id = await makeRun(free.deps, 'acme-shop', await makeWorkflow(free.deps, 'acme-shop', 'Watched'));
    for (const [name, payload] of [
      ['hash', { query: '', extensions: byHash(watch), variables: { id } }],
      ['text', { query: watch, variables: { id } }],
    ] as const) {
      to.socket.send({ id: name, type: 'subscribe', payload });
      const [first] = await to.socket.until((all) => ofOperation(all, name).length > 0 && ofOperation(all, name));
      expect(first).toMatchObject({ type: 'next', payload: { data: { runUpdated: { status: 'QUEUED' } } } });
    }
    to.close();
  });

  test('that is not registered gets the error after which clients send its text', async () => {
    const to = await openFaces(free);
    for (const face of ['http by hash', 'socket by hash'] as const) {
      expect((await to.ask(face, { query: stranger })).errors).toEqual(unknown);
    }
    const withText = await to.post({ query: stranger, extensions: byHash(stranger) });
    expect(withText).toMatchObject({ status: 200, data: { me: { user: { idpId: 'test-admin' } } } });
    to.close();
  });

  test('needs the same permissions as any other', async () => {
    const response = await free.app.inject({
      method: 'POST',
      url: '/graphql',
      headers: { 'content-type': 'application/json', 'x-graphql-yoga-csrf': '1' },
      payload: JSON.stringify({ extensions: byHash(who) }),
    });
    expect(response.json()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
  });
});

describe('if only persisted documents are executed', () => {
  test.each(faces)('executes one over %s', async (face) => {
    const to = await openFaces(only);
    expect((await to.ask(face, { query: who })).data).toEqual({ me: { claims: { sub: 'test-admin' } } });
    to.close();
  });

  test('refuses any other document, over every transport', async () => {
    const to = await openFaces(only);
    for (const query of [
      stranger,
      `${who} `,
      'mutation { createWorkflow(input: {name: "x"}) { __typename } }',
      '{',
      '',
    ]) {
      const { data, errors } = await to.ask('socket', { query });
      expect({ data, errors }).toEqual({ data: undefined, errors: notAllowed });
    }
    expect(await to.ask('http', { query: stranger })).toEqual({ status: 400, errors: notAllowed });
    expect(await to.post({ query: stranger, extensions: byHash(who) })).toEqual({ status: 400, errors: notAllowed });
    expect(await to.post([{ query: stranger }, { extensions: byHash(who) }])).toMatchObject({
      0: { errors: notAllowed },
      1: { data: { me: {} } },
    });
    const get = await only.app.inject({
      url: `/graphql?${new URLSearchParams({ query: stranger })}`,
      headers: { authorization: `Bearer ${await only.token()}` },
    });
    expect([get.statusCode, get.json()]).toEqual([400, { errors: notAllowed }]);
    to.close();
  });

  test('does not affect REST', async () => {
    const response = await only.app.inject({
      url: '/api/v1/runs',
      headers: { authorization: `Bearer ${await only.token()}`, 'x-tenant-id': 'acme-shop' },
    });
    expect(response.statusCode).toBe(200);
  });
});

describe('the file of persisted documents', () => {
  const read = async (content: string | object) => {
    const path = join(directory, 'documents.json');
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
    return readPersistedDocuments({ PERSISTED_DOCUMENTS: path, PERSISTED_DOCUMENTS_ONLY: true });
  };

  test('maps hashes to documents', async () => {
    const documents = await read({ [sha256(who)]: who });
    expect(documents.findText({ extensions: byHash(who) })).toBe(who);
    expect([documents.allows(who), documents.allows(run)]).toEqual([true, false]);
  });

  test.each([
    ['is not JSON', '{', /^PERSISTED_DOCUMENTS: .*documents\.json is not a readable JSON file \(.+\)\.$/],
    ['is a list', [who], /must be an object of documents by their sha256 in lower-case hex\.$/],
    ['has a name for a key', { Who: who }, /must be an object of documents by their sha256/],
    ['has something else for a document', { [sha256(who)]: 7 }, /must be an object of documents by their sha256/],
    [
      'has a hash of another document',
      { [sha256(run)]: who },
      new RegExp(`the document under ${sha256(run)} has the sha256 ${sha256(who)}\\.$`),
    ],
  ])('stops the start when it %s', async (_name, content, message) => {
    await expect(read(content)).rejects.toThrow(message);
  });

  test('stops the start when it is missing', async () => {
    const missing = { PERSISTED_DOCUMENTS: join(directory, 'nowhere.json'), PERSISTED_DOCUMENTS_ONLY: false };
    await expect(readPersistedDocuments(missing)).rejects.toThrow(/nowhere\.json is not a readable JSON file \(ENOENT/);
  });

  test.each([
    ['does not parse', '{ me {', 'Syntax Error: Expected Name, found <EOF>.'],
    ['does not fit the schema', '{ nothing }', 'Cannot query field "nothing" on type "Query".'],
    ['is over a limit', `{ ${'__typename @skip(if: false) '.repeat(21)} }`, 'at most 20 directives'],
  ])('stops the start when a document %s, and names it', (_name, text, message) => {
    const start = () =>
      createGraph({
        services: free.services,
        schema,
        ownHeaders: ['x-tenant-id'],
        rates: {},
        introspection: true,
        graphiql: false,
        persisted: createPersisted([who, text]),
      });
    expect(start).toThrow(`The persisted document ${sha256(text)} cannot be executed: `);
    expect(start).toThrow(message);
  });

  test('must be named where only persisted documents are allowed and there is no console', () => {
    expect(readEnv({ PERSISTED_DOCUMENTS_ONLY: '1' }).PERSISTED_DOCUMENTS).toBeUndefined();
    expect(() => readEnv({ PERSISTED_DOCUMENTS_ONLY: '1', CONSOLE: 'off' })).toThrow(
      'With CONSOLE=off it needs that file',
    );
    expect(() => readEnv({ PERSISTED_DOCUMENTS_ONLY: '1', CONSOLE: 'watch' })).toThrow(
      'does not work with CONSOLE=watch',
    );
  });

  test('is added to the documents of the console, where no other text is allowed', async () => {
    const own = new Map([[sha256(run), run]]);
    const without = { PERSISTED_DOCUMENTS: undefined, PERSISTED_DOCUMENTS_ONLY: true };
    const documents = await readPersistedDocuments(without, own);
    expect([documents.allows(run), documents.allows(who)]).toEqual([true, false]);
    const path = join(directory, 'documents.json');
    await writeFile(path, JSON.stringify({ [sha256(who)]: who }));
    const both = await readPersistedDocuments({ ...without, PERSISTED_DOCUMENTS: path }, own);
    expect([both.allows(run), both.allows(who), both.allows('{ me { id } }')]).toEqual([true, true, false]);
  });
});
