import { defineConfig } from 'vitest/config';
import { v8Flags } from './test/setup/v8-flags.ts';

// What node compiles is kept for the next worker, and for the processes that tests start.
process.env['NODE_COMPILE_CACHE'] ??= new URL('node_modules/.cache/causeway-test', import.meta.url).pathname;

/** Adds types to the graph's one builder, so it has a worker of its own. */
const addsTypes = 'test/checks/added-domain/*.test.ts';

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'product', include: ['test/**/*.test.ts'], exclude: [addsTypes] } },
      { extends: true, test: { name: 'added domain', include: [addsTypes], isolate: true } },
    ],
    globalSetup: ['test/setup/postgres.ts'],
    setupFiles: ['test/setup/compile-cache.ts'],
    pool: 'forks',
    // More than the two processors of a small machine: much of a test's time is waiting, for leases that run out and receivers that hang.
    maxWorkers: 4,
    // A file finds the modules that an earlier file of its worker has loaded: loading the product takes 2 to 4 s of CPU.
    isolate: false,
    execArgv: v8Flags,
    // Ample for a busy machine: a test that reaches it hangs. One that needs longer says why: see test/setup/timeouts.ts.
    testTimeout: 90_000,
    hookTimeout: 180_000,
    // An idle machine answers within milliseconds, a busy one takes many seconds.
    expect: { poll: { timeout: 40_000 } },
    teardownTimeout: 20_000,
    // Nothing mocks a module, so node loads them all by itself; Vitest's loader would strip the types a second time.
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
