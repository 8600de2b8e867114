import type { ApiDescription, ApiOperation } from '#src/automation/connectors/descriptions/api-description.ts';
import { plainText } from '#src/automation/connectors/descriptions/plain-text.ts';
import type { ApiCall, CallParameter } from '#src/automation/node-api/api-call.ts';
import type { ConfigField, NodeManifest, Port } from '#src/automation/node-api/manifest.ts';
import { writeCallPath } from './call-path.rules.ts';
import { chooseKeys } from './config-keys.rules.ts';
import { type FieldBudget, makeField, withoutNull } from './field-of-schema.rules.ts';
import { findPaging } from './find-paging.rules.ts';
import { listAccepted, listAnswers, makeOutputSchemas } from './operation-answers.rules.ts';
import { chooseBody, describeBody, makeBodyField } from './operation-body.rules.ts';

/** The facts about a package that its nodes need. */
export interface NodePlace {
  namespace: string;
  /** Slugs of the credential types that the operation accepts; empty if it accepts none. */
  credentialTypes: readonly string[];
  isCredentialOptional: boolean;
  icon: string;
}

/** The most fields of a form, counting those within others and those that paging adds. */
const maxFields = 490;
const maxTopFields = 95;

/** Makes the node of an operation. */
export function makeNode(
  operation: ApiOperation,
  { servers, definitions }: Pick<ApiDescription, 'servers' | 'definitions'>,
  place: NodePlace,
): NodeManifest {
  const budget: FieldBudget = { left: maxFields };
  const parameters = operation.parameters.slice(0, maxTopFields);
  const keys = chooseKeys(parameters);
  const fields = parameters.map(({ schema, required, description }, index): ConfigField => {
    const field = makeField(keys[index] ?? '', schema, definitions, budget);
    const help = field.help ?? plainText(description, 300);
    const { default: byDefault } = schema;
    const isDefault = ['string', 'number', 'boolean'].includes(typeof byDefault) && byDefault !== '';
    return {
      ...withoutNull(field),
      ...(field.label === undefined && { label: parameters[index]?.name.slice(0, 191) ?? '' }),
      ...(help !== '' && { help }),
      ...(required && { required: true }),
      ...(isDefault && fits(field, byDefault) && { default: byDefault }),
    };
  });
  const body = chooseBody(operation);
  const bodyField = body && makeBodyField(operation, body, definitions, budget);
  const paging = findPaging(operation, definitions);
  const answers = listAnswers(operation);
  const [server] = operation.servers ?? servers;
  const isFixed = server !== undefined && /^https?:\/\/[^{]+$/.test(server.url);
  const hasCredential = place.credentialTypes.length > 0;
  const call: ApiCall = {
    method: operation.method.toUpperCase(),
    ...(isFixed && { base_url: server.url }),
    path: writeCallPath(operation.path),
    parameters: parameters.map(({ name, in: where, style, explode, allowReserved }, index): CallParameter => ({
      field: keys[index] ?? '',
      name,
      in: where,
      style,
      explode,
      ...(allowReserved && { allow_reserved: true }),
    })),
    ...(body && { body: describeBody(operation, body, definitions) }),
    ...(operation.fixedBody && { fixed_body: operation.fixedBody }),
    ...(operation.selection !== undefined && { selection: 'selection' }),
    ...(operation.soap && { soap: operation.soap }),
    headers: { accept: listAccepted(operation), ...operation.headers },
    ...(hasCredential && { credential: 'credential' }),
    answers,
    ...(paging && { paging }),
  };
  const idempotency = parameters.findIndex(({ name, in: where }) => where === 'header' && isIdempotency(name));
  if (idempotency >= 0) {
    call.idempotency_header = parameters[idempotency]?.name ?? '';
    call.parameters.splice(idempotency, 1);
    fields.splice(idempotency, 1);
  }
  return {
    manifest_version: 'v0-draft',
    slug: `${place.namespace}:${operation.name}`,
    version: '1.0.0',
    name: operation.title.slice(0, 191) || operation.name,
    ...(operation.summary !== '' && { description: operation.summary }),
    kind: 'action',
    icon: place.icon,
    config: [
      ...(hasCredential ? [credentialField(place, isFixed)] : []),
      ...(hasCredential ? [] : [baseUrlField(isFixed ? server.url : undefined)]),
      ...fields.filter(({ required }) => required === true),
      ...(bodyField ? [bodyField] : []),
      ...(operation.selection === undefined ? [] : [selectionField(operation.selection)]),
      ...fields.filter(({ required }) => required !== true),
      ...(paging ? pagingFields : []),
    ],
    outputs: [
      { name: 'status', type: 'number', required: true },
      { name: 'headers', type: 'object', required: true },
      { name: 'body', type: 'any' },
      ...(paging ? [nextOutput] : []),
    ],
    branches: [...new Set(answers.map(({ branch }) => branch))],
    output_schemas: makeOutputSchemas(operation, answers, definitions),
    call,
  };
}

const fits = ({ type, options }: ConfigField, value: unknown): boolean =>
  options ? options.some((option) => option.value === value) : type === typeof value;

const isIdempotency = (name: string): boolean => /^(x-)?(idempotency-?key|request-id-idempotent)$/i.test(name);

/** A request without a login still needs an address. If the description names no server, the credential provides the address. */
const credentialField = ({ credentialTypes, isCredentialOptional }: NodePlace, isFixed: boolean): ConfigField => ({
  key: 'credential',
  type: 'credentials-ref',
  label: 'Credential',
  credential_types: [...credentialTypes],
  ...(!(isCredentialOptional && isFixed) && { required: true }),
});

const baseUrlField = (url: string | undefined): ConfigField => ({
  key: 'base_url',
  type: 'url',
  label: 'Address of the API',
  ...(url === undefined ? { required: true } : { default: url }),
});

const selectionField = (selection: string): ConfigField => ({
  key: 'selection',
  type: 'text',
  label: 'Selection',
  help: 'The members of the answer, as a selection set of GraphQL.',
  default: selection,
});

const pagingFields: ConfigField[] = [
  { key: 'all_pages', type: 'boolean', label: 'Read all pages', help: 'The body is then the list of all items.' },
  {
    key: 'max_items',
    type: 'number',
    format: 'integer',
    label: 'At most so many items',
    help: 'Of all pages together.',
  },
  {
    key: 'page_position',
    type: 'json',
    label: 'Position of the page',
    help: 'Reads one page as a list: "first", or the output `next` of the page before.',
  },
];

const nextOutput: Port = {
  name: 'next',
  type: 'object',
  description: 'With a position: that of the next page, null after the last one.',
};
