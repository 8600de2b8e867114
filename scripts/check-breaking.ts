import { readFile } from 'node:fs/promises';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';

// Compares schema.graphql of the directory it runs in with the graph of the last version, and fails where a client would break
// by what the changelog does not list, or where the changelog lists what does not break.

const files = {
  present: 'schema.graphql',
  released: 'schema.released.graphql',
  changelog: 'docs/graph-changelog.md',
};

async function breakingChanges(): Promise<string[]> {
  const [released, present] = await Promise.all(
    [files.released, files.present].map(async (file) => buildSchema(await readFile(file, 'utf8'))),
  );
  const changes = await diff(released ?? null, present ?? null);
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ message }) => message.replaceAll(/\s+/g, ' '));
}

/** The list items below "Unreleased", the heading of what the next version changes. */
async function writtenChanges(): Promise<string[]> {
  const sections = (await readFile(files.changelog, 'utf8')).split(/^## /m);
  const unreleased = sections.find((section) => section.startsWith('Unreleased\n')) ?? '';
  return [...unreleased.matchAll(/^- (.+)$/gm)].map(([, item]) => item as string);
}

const [breaking, written] = await Promise.all([breakingChanges(), writtenChanges()]);
const missing = breaking.filter((change) => !written.includes(change));
const stale = written.filter((change) => !breaking.includes(change));
const repeated = written.filter((change, index) => written.indexOf(change) < index);

if (missing.length > 0) {
  console.error(`These break clients of the last version (${files.released}):`);
  for (const change of missing) console.error(`- ${change}`);
  console.error(
    'Keep the old field or type beside the new one, with @deprecated and what to use instead. Where that cannot be, copy\n' +
      `these lines into ${files.changelog}, below "## Unreleased" and a heading that says why and what clients do instead.\n`,
  );
}
for (const change of stale) {
  console.error(`${files.changelog} lists what does not break (any more); delete the line:\n- ${change}\n`);
}
for (const change of repeated) console.error(`${files.changelog} lists this twice; delete one:\n- ${change}\n`);

if (missing.length + stale.length + repeated.length > 0) process.exitCode = 1;
else if (written.length > 0) console.log(`Breaking changes: ${breaking.length}, each listed in ${files.changelog}.`);
