import { flushCompileCache } from 'node:module';
import { afterAll } from 'vitest';

// Flushes the worker's compile cache for the processes that tests start. By itself node writes it when the worker ends.
afterAll(() => flushCompileCache());
