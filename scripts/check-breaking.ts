import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';

// Compares schema.graphql of the directory it runs in with what clients have now, and fails where one would break.

const file = 'schema.graphql';

/** What git answers; undefined where it cannot. */
function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2 ** 26 });
  } catch {
    return undefined;
  }
}

/**
 * The commit whose graph clients have: where the branch left main; on main itself, what stands before the change, be it
 * committed or not.
 */
function releasedCommit(present: string): string | undefined {
  const head = git('rev-parse', 'HEAD')?.trim();
  const bases = ['origin/main', 'main'].map((main) => git('merge-base', 'HEAD', main)?.trim());
  const left = bases.find((base) => base !== undefined && base !== head);
  if (left !== undefined) return left;
  return git('show', `HEAD:${file}`) === present ? git('rev-parse', 'HEAD~1')?.trim() : head;
}

const present = await readFile(file, 'utf8');
const commit = releasedCommit(present);
const before = commit && git('show', `${commit}:${file}`);
if (!before) console.log(`There is no earlier ${file} here; nothing can break.`);
else {
  const changes = await diff(buildSchema(before), buildSchema(present));
  const breaking = changes.filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking);
  for (const { message } of breaking) console.error(`Breaks clients: ${message}`);
  const reason = /^BREAKING CHANGE: .+/m.exec(git('log', '--format=%B', `${commit}..HEAD`) ?? '')?.[0];
  if (breaking.length > 0 && reason === undefined) {
    console.error(
      `Compared with ${commit?.slice(0, 12)}. Keep the old field or type beside the new one, with @deprecated and what to use instead;\n` +
        'where that cannot be, say why in the commit message, on a line that begins with "BREAKING CHANGE: ".',
    );
    process.exitCode = 1;
  } else if (reason !== undefined) console.log(reason);
}
