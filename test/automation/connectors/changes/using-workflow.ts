import type { ConfigField, NodeManifest } from '#src/automation/node-api/manifest.ts';
import { answerSchema, bodySchema, type Json, listMembers, type Member, type Operation, pick } from './mutate-api.ts';

/** An operation, its node, and what a workflow uses of both. */
export interface UsedOperation extends Operation {
  node: NodeManifest;
  id: string;
  config: Json;
  /** Places of the config that have a value: `config.body.lines`. */
  set: Set<string>;
  fields: (Member & { at: string; field: ConfigField })[];
  answers: Member[];
  /** Members of the answer that the reader reads, by the place of its config. */
  reads: Map<string, string[]>;
}

const expression = '{{ trigger.payload.value }}';

/** Uses some members of an operation, chosen by chance: all required ones, and about half of the others. */
export function useOperation(
  document: Json,
  operation: Operation,
  { node, id, random }: { node: NodeManifest; id: string; random: () => number },
): UsedOperation {
  const body = bodySchema(document, operation);
  const answer = answerSchema(document, operation);
  const form = node.config?.find(({ key }) => key === 'body');
  const fields = (body ? listMembers(document, body) : []).flatMap((member) => {
    const field = member.path.reduce<ConfigField | undefined>(
      (at, name) => at?.fields?.find(({ key }) => key === name),
      form,
    );
    return field ? [{ ...member, field, at: `config.body.${member.path.join('.')}` }] : [];
  });
  const config: Json = {};
  const set = new Set<string>();
  const value = ({ type, options }: ConfigField): unknown =>
    type === 'object' ? {} : options ? pick(random, options).value : expression;
  for (const field of node.config ?? []) {
    if (field.required !== true && field.key !== 'body' && random() < 0.5) continue;
    config[field.key] = value(field);
    set.add(`config.${field.key}`);
  }
  for (const { path, field, at } of fields) {
    const holder = path
      .slice(0, -1)
      .reduce<unknown>((place, name) => (place as Json | undefined)?.[name], config['body']);
    if (typeof holder !== 'object' || (field.required !== true && random() < 0.5)) continue;
    (holder as Json)[field.key] = value(field);
    set.add(at);
  }
  const answers = (answer ? listMembers(document, answer) : []).filter(({ path }) => isDescribed(node, path));
  const read = answers.filter(() => random() < 0.5);
  const reads = new Map(read.map(({ path }, index) => [`config.values.v${index}`, path]));
  return { ...operation, node, id, config, set, fields, answers, reads };
}

/** Nodes leave out members of very large answers. */
const isDescribed = ({ output_schemas: schemas }: NodeManifest, path: readonly string[]): boolean =>
  ['body', ...path].reduce<Json | undefined>(
    (schema, name) => (schema?.['properties'] as Record<string, Json> | undefined)?.[name],
    schemas?.['success'],
  ) !== undefined;

const quote = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : `\`${name}\``);

/** A workflow that calls each operation, and reads its answer in a node behind it. */
export const useInWorkflow = (used: readonly UsedOperation[]) => ({
  version: 'v1',
  nodes: used.flatMap(({ id, node, config, reads }) => [
    { id, node: node.slug, version: '^1.0.0', config },
    {
      id: `read-${id}`,
      node: 'core:set',
      version: '^1.0.0',
      config: {
        values: Object.fromEntries(
          [...reads].map(([place, path]) => [
            place.slice('config.values.'.length),
            `{{ nodes.${id}.outputs.body.${path.map(quote).join('.')} }}`,
          ]),
        ),
      },
    },
  ]),
  edges: used.map(({ id }) => ({ from: { node: id, branch: 'success' }, to: `read-${id}` })),
});
