import { flushCompileCache } from 'node:module';
import { afterAll } from 'vitest';

// What the worker has compiled is there for the processes that tests start. By itself node writes it when the worker ends.
afterAll(() => flushCompileCache());
