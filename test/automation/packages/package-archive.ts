import { packageFiles, rawArchive } from './archive/raw-tar.ts';

export interface TestNode {
  /** Without the namespace. */
  name: string;
  version: string;
  /** The module's source. */
  code?: string;
  manifest?: Record<string, unknown>;
}

/** A node package as `npm pack` makes it, out of nodes given as source text. */
export function packageArchive(options: {
  name: string;
  version?: string;
  namespace: string;
  nodes: TestNode[];
  more?: Record<string, string>;
  images?: string[];
}): Buffer {
  const { name, version = '1.0.0', namespace, nodes, more = {}, images } = options;
  const files: Record<string, string> = {
    'package.json': JSON.stringify({ name, version, causeway: 'causeway.json' }),
    'causeway.json': JSON.stringify({
      namespace,
      label: name,
      nodes: nodes.map((node, index) => `nodes/${node.name}-${index}.node.json`),
      images,
    }),
    ...more,
  };
  for (const [index, node] of nodes.entries()) {
    files[`nodes/${node.name}-${index}.node.json`] = JSON.stringify({
      manifest_version: 'v0-draft',
      slug: `${namespace}:${node.name}`,
      version: node.version,
      name: node.name,
      kind: 'action',
      entry: `nodes/${node.name}-${index}.ts`,
      ...node.manifest,
    });
    files[`nodes/${node.name}-${index}.ts`] =
      node.code ?? 'export const execute = () => ({ outputs: { done: true } });';
  }
  return rawArchive(...packageFiles(files));
}
