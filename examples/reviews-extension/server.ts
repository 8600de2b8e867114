import { createServer } from 'node:http';
import { createExtension } from '@causeway/extension-kit';
import { islands } from './islands.ts';
import manifest from './theme-extensions.json' with { type: 'json' };

const extension = await createExtension({
  root: new URL('.', import.meta.url),
  manifest,
  islands,
  secret: process.env['EXTENSION_SECRET'],
});
const { PORT = '4600', HOST = '127.0.0.1' } = process.env;
// Props are in the query; those of 8 KiB, escaped, are longer than Node takes by default.
createServer({ maxHeaderSize: 32 * 1024 }, extension.handle).listen(Number(PORT), HOST);
