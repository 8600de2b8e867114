import { Unsupported } from '#src/automation/connectors/descriptions/unsupported.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';
import { answers, itemShape, jsonBody, listShape } from './answer-shapes.ts';
import { isBound, readTypeName, withBases, type EdmModel } from './edm-model.ts';
import type { EdmSchemas } from './edm-schemas.ts';
import { attribute, listChildren, type EdmElement } from './edmx.ts';
import { keyPredicate, literals, type Literals } from './literals.ts';
import type { Draft } from './set-operations.ts';

type Labelled = [label: string, read: () => Draft];

/**
 * Lists the operations of an import in a container. In version 2 the import is itself a function; in version 4 it names unbound actions or
 * functions.
 */
export function importOperations(imported: EdmElement, model: EdmModel, schemas: EdmSchemas): Labelled[] {
  const name = attribute(imported, 'Name');
  const target = attribute(imported, 'Action') || attribute(imported, 'Function');
  if (target === '')
    return [[`${attribute(imported, 'HttpMethod') || 'GET'} /${name}`, () => oldFunction(imported, model, schemas)]];
  const found = (model.callables.get(model.fullName(target)) ?? []).filter((callable) => !isBound(callable));
  if (found.length === 0) {
    const missing = (): never => {
      throw new Unsupported(`It calls "${target}", and the metadata has no unbound action or function of this name.`);
    };
    return [[`/${name}`, missing]];
  }
  return found.map((callable) => [
    `${callable.name} ${name}`,
    () =>
      call(callable, {
        path: `/${name}`,
        title: name,
        parameters: listChildren(callable, 'Parameter'),
        model,
        schemas,
      }),
  ]);
}

/** Lists the actions and functions that are called on the entities of a set, or on the set itself. */
export function boundOperations(set: EdmElement, model: EdmModel, schemas: EdmSchemas): Labelled[] {
  const setName = attribute(set, 'Name');
  const typeName = model.fullName(attribute(set, 'EntityType') || attribute(set, 'Type'));
  const isSingleton = set.name === 'Singleton';
  const found = withBases(typeName, model).flatMap((type) => model.bound.get(type) ?? []);
  return found
    .filter(({ isOnList }) => !isOnList || !isSingleton)
    .map(({ fullName, callable, isOnList }) => [
      `${callable.name} ${setName}/${fullName}`,
      () => {
        const key: Literals = isOnList || isSingleton ? { text: '', parameters: [] } : keyPredicate(typeName, model);
        const draft = call(callable, {
          path: `/${setName}${key.text}/${fullName}`,
          title: `${attribute(callable, 'Name')} of ${setName}`,
          // The first parameter is the value that the action or function is called on.
          parameters: listChildren(callable, 'Parameter').slice(1),
          model,
          schemas,
        });
        return { ...draft, parameters: [...key.parameters, ...draft.parameters] };
      },
    ]);
}

interface Called {
  path: string;
  title: string;
  parameters: EdmElement[];
  model: EdmModel;
  schemas: EdmSchemas;
}

function call(callable: EdmElement, { path, title, parameters, model, schemas }: Called): Draft {
  const [returned] = listChildren(callable, 'ReturnType');
  const found = returned === undefined ? answers('204') : answers('200', returnShape(returned, 'Type', model, schemas));
  if (callable.name === 'Function') {
    const given = literals(parameters, model);
    return { title, method: 'GET', path: `${path}(${given.text})`, parameters: given.parameters, answers: found };
  }
  const properties = parameters.map((parameter) => [attribute(parameter, 'Name'), schemas.typed(parameter)] as const);
  const required = parameters
    .filter((parameter) => attribute(parameter, 'Nullable') === 'false')
    .map((parameter) => attribute(parameter, 'Name'));
  const schema: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  };
  return {
    title,
    method: 'POST',
    path,
    parameters: [],
    ...(parameters.length > 0 && { body: jsonBody(schema) }),
    answers: found,
  };
}

/** Reads a function of version 2, which takes its arguments in the query. */
function oldFunction(imported: EdmElement, model: EdmModel, schemas: EdmSchemas): Draft {
  const name = attribute(imported, 'Name');
  const method = attribute(imported, 'HttpMethod') || 'GET';
  if (!['GET', 'POST', 'PUT', 'DELETE', 'PATCH'].includes(method))
    throw new Unsupported(`Its method "${method}" is not sent.`);
  const given = literals(listChildren(imported, 'Parameter'), model, '&');
  return {
    title: name,
    method,
    path: `/${name}${given.text === '' ? '' : `?${given.text}`}`,
    parameters: given.parameters,
    answers:
      attribute(imported, 'ReturnType') === ''
        ? answers('204')
        : answers('200', returnShape(imported, 'ReturnType', model, schemas)),
  };
}

function returnShape(element: EdmElement, typeAttribute: string, model: EdmModel, schemas: EdmSchemas): JsonSchema {
  const { name, isList } = readTypeName(attribute(element, typeAttribute), model);
  const schema = schemas.typed(element, typeAttribute);
  if (isList) return listShape((schema['items'] as JsonSchema | undefined) ?? {}, model.isV2);
  // Both versions wrap a value that is not an object: version 4 in `value`, version 2 under the function's name.
  if (model.types.has(name)) return itemShape(schema, model.isV2);
  return model.isV2 ? itemShape({}, true) : { type: 'object', properties: { value: schema } };
}
