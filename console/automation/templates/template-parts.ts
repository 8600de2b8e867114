type Json = Readonly<Record<string, unknown>>;

/** A node of a template. */
export interface TemplateNode {
  /** Inside a loop it has the loop's path before its own: `each/send`. */
  path: string;
  id: string;
  /** `<namespace>:<name>` */
  kind: string;
  version: string;
  /** The placeholders that its settings leave open, by key. */
  open: string[];
}

/** What a template contains, read from its blob. */
export interface TemplateParts {
  nodes: TemplateNode[];
  links: { from: string; to: string; branch: string | null }[];
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Lists the nodes of a template's blob. Leaves out values that do not match the schema of blobs. */
export function readParts(blob: unknown, loop = ''): TemplateParts {
  const parts: TemplateParts = { nodes: [], links: [] };
  const { nodes, edges } = isObject(blob) ? blob : {};
  for (const { id, node, version, config } of objects(nodes)) {
    const { body, ...settings } = isObject(config) ? config : {};
    const path = `${loop}${String(id)}`;
    parts.nodes.push({
      path,
      id: String(id),
      kind: String(node),
      version: String(version),
      open: findPlaceholders(settings),
    });
    const inner = readParts(body, `${path}/`);
    parts.nodes.push(...inner.nodes);
    parts.links.push(...inner.links);
  }
  for (const { from, to } of objects(edges)) {
    const start = isObject(from) ? from['node'] : undefined;
    if (!isObject(from) || typeof start !== 'string') continue;
    const branch = typeof from['branch'] === 'string' ? from['branch'] : null;
    parts.links.push({ from: `${loop}${start}`, to: `${loop}${String(to)}`, branch });
  }
  return parts;
}

function findPlaceholders(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(findPlaceholders);
  if (!isObject(value)) return [];
  const { $placeholder: key, ...others } = value;
  return [...(typeof key === 'string' ? [key] : []), ...Object.values(others).flatMap(findPlaceholders)];
}
