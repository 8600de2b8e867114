import type { ApiDescription, ApiOperation } from '#src/automation/connectors/descriptions/api-description.ts';
import { kebab } from '#src/automation/connectors/descriptions/names.ts';
import type { CallAnswer } from '#src/automation/node-api/api-call.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';
import { findKind } from './operation-body.rules.ts';
import { outputSchemaFor } from './output-schema.rules.ts';

const maxErrors = 40;

/** Makes the header Accept from the described media types, JSON first. Without it, some APIs answer in XML. */
export function listAccepted({ answers }: ApiOperation): string {
  const types = answers.flatMap(({ content }) => content.map(({ mediaType }) => mediaType.split(';')[0]?.trim() ?? ''));
  const known = [...new Set(types)].filter((type) => /^[\w.+*-]+\/[\w.+*-]+$/.test(type)).slice(0, 10);
  const sorted = known.toSorted((one, other) => findKind(one) - findKind(other));
  return sorted.length === 0 ? 'application/json, */*;q=0.5' : [...sorted, '*/*;q=0.5'].join(', ');
}

/** Lists the branches: one for success, one for each error or fault that the description names, and one for all others. */
export function listAnswers({ answers }: ApiOperation): CallAnswer[] {
  const errors = answers.filter(({ status }) => /^[45]/.test(status)).slice(0, maxErrors);
  const described = answers.flatMap(({ fault }) => (fault ? [fault] : [])).slice(0, maxErrors);
  const faults = described.map(({ name, element }) => ({
    status: 'fault',
    branch: nameFaultBranch(name),
    fault: element,
  }));
  const hasFaults = answers.some(({ status }) => status === 'fault');
  return [
    { status: '2XX', branch: 'success' },
    ...errors.map(({ status }) => ({ status, branch: `status-${status.toLowerCase()}` })),
    ...faults,
    ...(hasFaults ? [{ status: 'fault', branch: 'fault' }] : []),
    { status: 'default', branch: 'other' },
  ];
}

const nameFaultBranch = (name: string): string => `fault-${kebab(name).slice(0, 56)}`.replace(/-+$/, '');

export function makeOutputSchemas(
  { answers }: ApiOperation,
  branches: readonly CallAnswer[],
  definitions: ApiDescription['definitions'],
): Record<string, JsonSchema> {
  const success = answers.find(({ status }) => /^[23]/.test(status));
  const found = branches.flatMap(({ status, branch, fault }): [string, JsonSchema][] => {
    const answer =
      branch === 'success' ? success : answers.find((each) => each.status === status && each.fault?.element === fault);
    const content = answer?.content.find(({ mediaType }) => findKind(mediaType) === 0) ?? answer?.content[0];
    return content ? [[branch, outputSchemaFor(content.schema, definitions)]] : [];
  });
  return Object.fromEntries(
    found.map(([branch, body]) => [
      branch,
      {
        type: 'object',
        properties: { status: { type: 'integer' }, headers: { type: 'object' }, body },
        required: ['status', 'headers'],
      },
    ]),
  );
}
