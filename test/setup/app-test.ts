import { test as base } from 'vitest';
import type { Engine } from '#workers/engine/engine.ts';
import { startTestApp, type TestApp, type TestAppOptions } from './app.ts';
import { cloneDatabase } from './database.ts';
import { type TestEngineOptions, startTestEngine } from './engine.ts';
import { expectNoConnections, watchResources } from './leaks.ts';

/**
 * `test` with what most files need, each started once a file when it is first asked for, and stopped at the file's end:
 *
 * - `database`: a migrated database of the file's own; one that is left open at the end fails the file
 * - `api`: the app as production builds it, on that database; `test.extend('appOptions', { scope: 'file' }, ...)` changes how.
 *   (`test.override` would change it for every later file of the worker, which shares this module.)
 * - `startBeside()`: another process's worth of the app on the same database
 * - `startEngine()`: an engine beside `api`
 * - `ownApi`: an app for one test alone, on a database of its own
 */
export const test = base
  .extend('appOptions', { scope: 'file' }, {} as TestAppOptions)
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern which fixtures are asked for
  .extend('database', { scope: 'file' }, async ({}, { onCleanup }) => {
    const expectClosed = watchResources();
    const { name, url, drop } = await cloneDatabase();
    onCleanup(async () => {
      try {
        await expectNoConnections(name);
        await expectClosed();
      } finally {
        await drop();
      }
    });
    return { url };
  })
  .extend('api', { scope: 'file' }, async ({ appOptions, database }, { onCleanup }) => {
    const api = await startTestApp({ databaseUrl: database.url }, appOptions);
    onCleanup(() => api.close());
    return api;
  })
  .extend('startBeside', { scope: 'file' }, async ({ api }, { onCleanup }) => {
    const started: TestApp[] = [];
    onCleanup(async () => {
      for (const one of started) await one.close();
    });
    return async (options: TestAppOptions = {}) => {
      const one = await startTestApp(api, options);
      started.push(one);
      return one;
    };
  })
  .extend('startEngine', { scope: 'file' }, async ({ api }, { onCleanup }) => {
    const started: Engine[] = [];
    onCleanup(async () => {
      for (const one of started) await one.stop();
    });
    return async (options: TestEngineOptions = {}) => {
      const one = await startTestEngine(api, options);
      started.push(one);
      return one;
    };
  })
  .extend('ownApi', async ({ appOptions }, { onCleanup }) => {
    const database = await cloneDatabase();
    const api = await startTestApp({ databaseUrl: database.url }, appOptions);
    onCleanup(async () => {
      await api.close();
      await database.drop();
    });
    return api;
  });
