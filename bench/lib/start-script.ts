import { readFileSync } from 'node:fs';

const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');

/** The command of `npm start`. */
export const startScript = (JSON.parse(manifest) as { scripts: { start: string } }).scripts.start;

/** Its flags for Node, which Node passes to the processes that it forks: a bench measures with production's heap. */
export const startFlags: readonly string[] = startScript.split(' ').filter((word) => word.startsWith('--'));
