import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup/postgres.ts'],
    pool: 'forks',
    maxWorkers: 3,
    // Against tests that hang, and nothing else: what is to be quick says so itself.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    teardownTimeout: 20_000,
    experimental: { viteModuleRunner: false },
  },
});
