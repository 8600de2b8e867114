import { createServer } from 'node:http';
import { createPlatform } from './platform.ts';
import { createTheme } from './theme.ts';

const {
  CAUSEWAY_URL: url = 'http://localhost:4000',
  CAUSEWAY_TENANT: tenant,
  CAUSEWAY_KEY: key,
  PORT = '4020',
  HOST = '127.0.0.1',
} = process.env;
if (!tenant || !key) throw new Error('Set CAUSEWAY_TENANT, and CAUSEWAY_KEY to an API key with the scope theme:read.');

const theme = createTheme(createPlatform({ url, tenant, key }), (line) => process.stderr.write(`${line}\n`));
createServer(theme).listen(Number(PORT), HOST);
