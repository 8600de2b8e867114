import { fileURLToPath } from 'node:url';
import { v8Flags } from './v8-flags.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Node's flags for processes of the product that tests start: its imports are resolved as with `npm start`. */
export const productFlags = [...v8Flags, `--import=${root}src/process/import-resolver.ts`];
