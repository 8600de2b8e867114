import { createRequire } from 'node:module';

/** The version of the product, from its package.json. */
export const { version: productVersion } = createRequire(import.meta.url)('../../package.json') as { version: string };
