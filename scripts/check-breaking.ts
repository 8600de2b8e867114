import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';
import { schemaFile } from './printed-schema.ts';

/** The committed graph of the main branch; undefined until there is a first one. */
function released(): string | undefined {
  for (const branch of ['origin/main', 'main']) {
    try {
      return execFileSync('git', ['show', `${branch}:schema.graphql`], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    } catch {
      // No such branch here, or no schema on it yet.
    }
  }
  return undefined;
}

const before = released();
if (before === undefined) console.log('No schema.graphql on main yet; nothing can break.');
else {
  const changes = await diff(buildSchema(before), buildSchema(await readFile(schemaFile, 'utf8')));
  const breaking = changes.filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking);
  for (const { message } of breaking) console.error(`Breaks clients: ${message}`);
  if (breaking.length > 0) {
    console.error('Keep the old field or type beside the new one, with @deprecated and what to use instead.');
    process.exitCode = 1;
  }
}
