import { readFileSync } from 'node:fs';

const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');

/** What `npm start` runs. */
export const startScript = (JSON.parse(manifest) as { scripts: { start: string } }).scripts.start;

/** The flags that it gives to Node, and Node to the processes that it forks: a bench measures with production's heap. */
export const startFlags: readonly string[] = startScript.split(' ').filter((word) => word.startsWith('--'));
