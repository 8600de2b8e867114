import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';

const files = {
  present: 'schema.graphql',
  released: 'schema.released.graphql',
  changelog: 'docs/graph-changelog.md',
};

async function breakingChanges(directory: string): Promise<string[]> {
  const [released, present] = await Promise.all(
    [files.released, files.present].map(async (file) => buildSchema(await readFile(join(directory, file), 'utf8'))),
  );
  const changes = await diff(released ?? null, present ?? null);
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ message }) => message.replaceAll(/\s+/g, ' '));
}

/** The list items below the heading "Unreleased", which are the changes of the next version. */
async function writtenChanges(directory: string): Promise<string[]> {
  const sections = (await readFile(join(directory, files.changelog), 'utf8')).split(/^## /m);
  const unreleased = sections.find((section) => section.startsWith('Unreleased\n')) ?? '';
  return [...unreleased.matchAll(/^- (.+)$/gm)].map(([, item]) => item as string);
}

/**
 * Compares the graph of a directory with that of the last version: `faults` lists breaking changes that the changelog lacks, and entries of
 * the changelog that break nothing; `summary` counts its entries, if any.
 */
export async function compareGraphs(directory: string): Promise<{ faults: string[]; summary?: string }> {
  const [breaking, written] = await Promise.all([breakingChanges(directory), writtenChanges(directory)]);
  const missing = breaking.filter((change) => !written.includes(change));
  const stale = written.filter((change) => !breaking.includes(change));
  const repeated = written.filter((change, index) => written.indexOf(change) < index);
  const faults = [
    ...(missing.length > 0
      ? [
          `These break clients of the last version (${files.released}):\n${missing.map((change) => `- ${change}\n`).join('')}` +
            'Keep the old field or type beside the new one, with @deprecated and what to use instead. Where that cannot be, copy\n' +
            `these lines into ${files.changelog}, below "## Unreleased" and a heading that says why and what clients do instead.\n`,
        ]
      : []),
    ...stale.map(
      (change) => `${files.changelog} lists what does not break (any more); delete the line:\n- ${change}\n`,
    ),
    ...repeated.map((change) => `${files.changelog} lists this twice; delete one:\n- ${change}\n`),
  ];
  const summary = `Breaking changes: ${breaking.length}, each listed in ${files.changelog}.`;
  return { faults, ...(written.length > 0 && { summary }) };
}
