import type { ConfigField, NodeManifest, Port } from '#src/automation/node-api/manifest.ts';

/** The manifest of a node of package `core`. */
export const node = (
  name: string,
  kind: NodeManifest['kind'],
  title: string,
  description: string,
  config: ConfigField[],
  outputs: Port[] = [],
  more: Pick<NodeManifest, 'branches' | 'branches_from'> = {},
): NodeManifest => ({
  manifest_version: 'v0-draft',
  slug: `core:${name}`,
  version: '1.0.0',
  name: title,
  description,
  kind,
  config,
  outputs,
  branches: ['default'],
  ...more,
});

export const field = (
  key: string,
  type: ConfigField['type'],
  label: string,
  more: Omit<ConfigField, 'key' | 'type' | 'label'> = {},
): ConfigField => ({ key, type, label, ...more });

export const required = { required: true } as const;

export const oneOf = (...values: string[]): { options: { value: string }[] } => ({
  options: values.map((value) => ({ value })),
});
