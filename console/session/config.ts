import { setServerTime } from '#console/ui/clock.ts';
import { consoleAddress } from './addresses.ts';

/** Where and how users sign in, as the server says in `config.json`. */
export interface ConsoleConfig {
  issuer: string;
  clientId: string;
  scopes: readonly string[];
  audience: string;
}

/** Reads `config.json` of the console. Its answer also tells the server's time. Throws if the server cannot be reached. */
export async function loadConsoleConfig(): Promise<ConsoleConfig> {
  const response = await fetch(consoleAddress('config.json'));
  if (!response.ok) throw new Error(`The server answered ${response.status} for config.json.`);
  const date = Date.parse(response.headers.get('date') ?? '');
  if (!Number.isNaN(date)) setServerTime(date);
  const { issuer, client_id: clientId, scopes, audience } = (await response.json()) as ConfigFile;
  return { issuer, clientId, scopes, audience };
}

interface ConfigFile {
  issuer: string;
  client_id: string;
  scopes: string[];
  audience: string;
}
