import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { readDescription } from '#src/automation/connectors/descriptions/read-description.ts';
import { makePackage } from '#src/automation/connectors/packages/make-package.ts';
import type { NodeManifest } from '#src/automation/node-api/manifest.ts';
import { startCalls } from '#test/automation/connectors/calls/sent-calls.ts';
import { type Collections, pagedCollections } from './paged-collections.ts';
import { pagingServers, records } from './paging-servers.ts';
import { sampleConfig } from './sample-values.ts';

// The folder beside the checkout that holds real descriptions, if there is one.
const folder = join(import.meta.dirname, '../../../../../shared/specs');
const calls = await startCalls();

/** True if the node of a collection reads all records from a server that pages as the description states. */
async function readsAll({ call, config: fields = [] }: NodeManifest, style: string): Promise<boolean> {
  calls.answerWith(({ body }, url) => ({
    body: pagingServers[style]?.({
      url,
      body: body.byteLength > 0 ? (JSON.parse(String(body)) as Record<string, unknown>) : {},
    }),
  }));
  // The description of a body that searches may show a page, which would be the first one to read.
  const { body, ...config } = sampleConfig(fields.filter(({ required }) => required === true));
  const sent = { ...config, ...(body !== undefined && { body: {} }), credential: 7, all_pages: true };
  const { outputs } = await calls.send({ ...call, base_url: calls.url }, sent, {
    credential: { sends: [{ as: 'bearer', field: 'token' }], fields: { token: 'token-value' } },
  });
  return isDeepStrictEqual(outputs['body'], records) && outputs['complete'] === true;
}

/** Measures the collections of a description: those that are not read, and the nodes that page a list which is no collection. */
async function measure(file: string, collections: readonly Collections[]) {
  const description = await readDescription(await readFile(join(folder, file)));
  const { nodes } = makePackage(description, { all: true }, 'real');
  const left = new Map(nodes.map((node) => [`${node.call?.method} ${node.call?.path.split('?')[0]}`, node]));
  const listed = collections.flatMap(({ style, method = 'GET', paths }) =>
    paths.map((path) => ({ style, name: `${method} ${path}` })),
  );
  const missed: string[] = [];
  for (const { style, name } of listed) {
    const node = left.get(name);
    left.delete(name);
    if (!node || !(await readsAll(node, style).catch(() => false))) missed.push(`${file}: ${name}`);
  }
  const invented = [...left].filter(([, { call }]) => call?.paging).map(([name]) => `${file}: ${name}`);
  return { count: listed.length, missed, invented };
}

test.runIf(existsSync(folder))(
  'all pages are read of 98 of the 99 paged collections of the real descriptions',
  { timeout: 60_000 },
  async () => {
    let count = 0;
    const missed: string[] = [];
    const invented: string[] = [];
    for (const [file, collections] of Object.entries(pagedCollections)) {
      const measured = await measure(file, collections);
      count += measured.count;
      missed.push(...measured.missed);
      invented.push(...measured.invented);
    }
    expect({ count, missed, invented }).toEqual({
      count: 99,
      // The pages after the first one of an action's result would be read by GET.
      missed: ['sap-test-v4.edmx: POST /TestActionImportSharedEntityReturnTypeCollection'],
      invented: [],
    });
  },
);
