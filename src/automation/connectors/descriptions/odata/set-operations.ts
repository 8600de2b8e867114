import type { ApiOperation, ApiParameter } from '#src/automation/connectors/descriptions/api-description.ts';
import { answers, itemShape, jsonBody, listShape } from './answer-shapes.ts';
import type { EdmModel } from './edm-model.ts';
import type { EdmSchemas } from './edm-schemas.ts';
import { attribute, type EdmElement } from './edmx.ts';
import { keyPredicate } from './literals.ts';

/** An operation without the parts that all operations of a service share. */
export type Draft = Pick<ApiOperation, 'title' | 'method' | 'path' | 'parameters' | 'answers'> &
  Partial<Pick<ApiOperation, 'body' | 'headers' | 'summary' | 'isChangeSet'>>;

/**
 * Lists the operations that an entity set or a singleton allows. In version 2, SAP's annotations say which are not allowed. `read` may
 * throw Unsupported.
 */
export function setOperations(
  set: EdmElement,
  model: EdmModel,
  schemas: EdmSchemas,
): [label: string, read: () => Draft][] {
  const name = attribute(set, 'Name');
  const typeName = model.fullName(attribute(set, 'EntityType') || attribute(set, 'Type'));
  const isSingleton = set.name === 'Singleton';
  const entity = () => schemas.reference(typeName);
  const key = () => (isSingleton ? { text: '', parameters: [] } : keyPredicate(typeName, model));
  const isAllowed = (what: string): boolean => attribute(set, what) !== 'false';

  const list = (): Draft => ({
    title: `List ${name}`,
    method: 'GET',
    path: `/${name}`,
    parameters: listOptions(model.isV2),
    answers: answers('200', listShape(entity(), model.isV2)),
  });
  const get = (): Draft => ({
    title: `Get ${name}`,
    method: 'GET',
    path: `/${name}${key().text}`,
    parameters: [...key().parameters, ...itemOptions],
    answers: answers('200', itemShape(entity(), model.isV2)),
  });
  const create = (): Draft => ({
    title: `Create ${name}`,
    method: 'POST',
    path: `/${name}`,
    parameters: [],
    body: jsonBody(entity()),
    answers: answers('201', itemShape(entity(), model.isV2)),
  });
  const update = (): Draft => ({
    title: `Update ${name}`,
    // Version 2 has MERGE instead of PATCH, and its servers accept the method in this header.
    ...(model.isV2 ? { method: 'POST', headers: { 'X-HTTP-Method': 'MERGE' } } : { method: 'PATCH' }),
    path: `/${name}${key().text}`,
    parameters: [...key().parameters, ifMatch],
    body: jsonBody(entity()),
    answers: [...answers('200', itemShape(entity(), model.isV2)).slice(0, 1), ...answers('204')],
  });
  const remove = (): Draft => ({
    title: `Delete ${name}`,
    method: 'DELETE',
    path: `/${name}${key().text}`,
    parameters: [...key().parameters, ifMatch],
    answers: answers('204'),
  });
  return [
    ...(!isSingleton && isAllowed('addressable') ? [[`GET /${name}`, list] as [string, () => Draft]] : []),
    [`GET /${name}(...)`, get],
    ...(!isSingleton && isAllowed('creatable') ? [[`POST /${name}`, create] as [string, () => Draft]] : []),
    ...(isAllowed('updatable') ? [[`PATCH /${name}(...)`, update] as [string, () => Draft]] : []),
    ...(!isSingleton && isAllowed('deletable') ? [[`DELETE /${name}(...)`, remove] as [string, () => Draft]] : []),
  ];
}

const option = (name: string, type: 'string' | 'integer' | 'boolean', description: string): ApiParameter => ({
  name,
  in: 'query',
  required: false,
  description,
  schema: { type },
  style: 'form',
  explode: true,
  allowReserved: false,
  deprecated: false,
});

const itemOptions = [
  option('$select', 'string', 'Properties to return, separated by commas.'),
  option('$expand', 'string', 'Links whose entities are returned too, separated by commas.'),
];

const listOptions = (isV2: boolean): ApiParameter[] => [
  option('$filter', 'string', "A condition, such as Status eq 'open'."),
  option('$orderby', 'string', 'Properties to sort by, each with asc or desc.'),
  option('$top', 'integer', 'How many entities to return at most.'),
  option('$skip', 'integer', 'How many entities to leave out.'),
  ...itemOptions,
  isV2
    ? option('$inlinecount', 'string', 'allpages to return the number of all entities.')
    : option('$count', 'boolean', 'True to return the number of all entities.'),
  ...(isV2 ? [] : [option('$search', 'string', 'A text to search for.')]),
];

const ifMatch: ApiParameter = {
  ...option('If-Match', 'string', 'The ETag that the entity must still have, or * for any.'),
  in: 'header',
  style: 'simple',
  explode: false,
};
