import { consoleAddress } from './addresses.ts';
import { noteServerTime } from './server-clock.ts';

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
  noteServerTime(response);
  const { issuer, client_id: clientId, scopes, audience } = (await response.json()) as ConfigFile;
  return { issuer, clientId, scopes, audience };
}

interface ConfigFile {
  issuer: string;
  client_id: string;
  scopes: string[];
  audience: string;
}
