import type { NodeManifest } from '#src/automation/node-api/manifest.ts';
import type { NodeDeps } from '#src/automation/node-api/node-deps.ts';

export type ReadSchemas = (slug: string, version: string) => Promise<NodeManifest['output_schemas']>;

/** The most nodes whose schemas are in memory. */
const maxCached = 500;

/**
 * Reads the schemas of a node's outputs from the catalogue, and caches those that were used last. They are not part of compiled workflows,
 * because the schema of one branch may have 24 kB.
 */
export function createReadSchemas({ database }: Pick<NodeDeps, 'database'>): ReadSchemas {
  const known = new Map<string, ReturnType<ReadSchemas>>();

  async function load(slug: string, version: string): ReturnType<ReadSchemas> {
    const node = await database.global.node.findUnique({
      where: { slug_version: { slug, version } },
      select: { manifest: true },
    });
    return (node?.manifest as unknown as NodeManifest | undefined)?.output_schemas;
  }

  return (slug, version) => {
    const key = `${slug}@${version}`;
    const found = known.get(key) ?? load(slug, version);
    found.catch(() => known.delete(key));
    known.delete(key);
    if (known.size >= maxCached) known.delete(known.keys().next().value as string);
    known.set(key, found);
    return found;
  };
}
