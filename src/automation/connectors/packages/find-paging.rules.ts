import type { ApiOperation } from '#src/automation/connectors/descriptions/api-description.ts';
import type { CallPaging } from '#src/automation/node-api/api-call.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';
import {
  besideLists,
  cursorNames,
  linkNames,
  listNames,
  moreNames,
  pagesNames,
  parameterNames,
  totalNames,
} from './paging-names.ts';
import { type Definitions, isSchema, listShapes, listTypes, resolveSchema } from './resolve-schema.ts';

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

interface Member {
  path: string[];
  name: string;
  schema: JsonSchema;
  isList: boolean;
}

const maxMembers = 2_000;

/** Lists the members of an answer down to some levels, level by level. */
function listAnswerMembers(schema: JsonSchema, definitions: Definitions, levels: number): Member[] {
  const members: Member[] = [];
  let level: { path: string[]; schema: JsonSchema }[] = [{ path: [], schema }];
  for (let depth = 0; depth < levels && members.length < maxMembers; depth += 1) {
    const next: typeof level = [];
    for (const { path, schema: outer } of level) {
      for (const [name, member] of listProperties(outer, definitions)) {
        if (!isSchema(member)) continue;
        const found = resolveSchema(member, definitions).schema;
        const isList = listTypes(found).includes('array') || found['items'] !== undefined;
        members.push({ path: [...path, name], name: plain(name), schema: found, isList });
        if (!isList) next.push({ path: [...path, name], schema: found });
      }
    }
    level = next;
  }
  return members;
}

/** Lists the properties of every shape that an answer may have, because an API may page the same list in two ways. */
function listProperties(schema: JsonSchema, definitions: Definitions): [string, unknown][] {
  const shapes = listShapes(schema).map((shape) => resolveSchema(shape, definitions).schema);
  return [schema, ...shapes].flatMap(({ properties }) => (isSchema(properties) ? Object.entries(properties) : []));
}

type PagedOperation = Pick<ApiOperation, 'method' | 'path' | 'parameters' | 'answers' | 'body' | 'fixedBody'>;

/** True for a query of GraphQL, whose arguments are in the member `variables` of the body. */
const isGraphQuery = ({ fixedBody }: PagedOperation): boolean => String(fixedBody?.['query']).startsWith('query');

/** True if the request only reads: a GET, a query, or a POST that searches. Such a request can be repeated for each page. */
const isReading = ({ method, path, ...operation }: PagedOperation): boolean =>
  method.toUpperCase() === 'GET' ||
  isGraphQuery({ method, path, ...operation }) ||
  (method.toUpperCase() === 'POST' &&
    /(search|filter|query|find|list)$|\/_?(search|query|find)\//i.test(path.split('?')[0] ?? ''));

/** A parameter or a member of the body that can ask for a page. */
interface Asked {
  /** As a path within the body. */
  name: string;
  plain: string;
  schema: JsonSchema;
  in?: 'body';
}

function listAsked(operation: PagedOperation, definitions: Definitions): Asked[] {
  const { parameters, body, method } = operation;
  const asked = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }): Asked => ({ name, plain: plain(name), schema }));
  const content = body?.content.find(({ mediaType }) => /\bjson\b/i.test(mediaType));
  if (method.toUpperCase() !== 'POST' || !content) return asked;
  const outer = listProperties(resolveSchema(content.schema, definitions).schema, definitions);
  const prefix = isGraphQuery(operation) ? 'variables.' : '';
  const [, variables] = outer.find(([name]) => name === 'variables') ?? [];
  const members =
    prefix === '' || !isSchema(variables)
      ? outer
      : listProperties(resolveSchema(variables, definitions).schema, definitions);
  for (const [name, schema] of members) {
    if (!isSchema(schema) || name.includes('.')) continue;
    asked.push({ name: `${prefix}${name}`, plain: plain(name), schema, in: 'body' });
  }
  return asked;
}

/**
 * Finds how a list is paged from its parameters and its answer; undefined if they do not show it. Links are preferred to cursors, and
 * cursors to numbers, because they stay correct while rows are added.
 */
export function findPaging(operation: PagedOperation, definitions: Definitions): CallPaging | undefined {
  const { answers } = operation;
  if (!isReading(operation)) return undefined;
  const success =
    answers.find(({ status }) => status.startsWith('2')) ?? answers.find(({ status }) => status === 'default');
  const content = success?.content.find(({ mediaType }) => /\bjson\b/i.test(mediaType));
  if (!success || !content) return undefined;
  const answer = resolveSchema(content.schema, definitions).schema;
  const isBareList = listTypes(answer).includes('array');
  const members = isBareList ? [] : listAnswerMembers(answer, definitions, isGraphQuery(operation) ? 4 : 3);
  const items = isBareList ? [] : findItems(members);
  if (!items) return undefined;
  const place = items.length > 0 ? { items } : {};
  const find = (names: readonly string[], accepts: (member: Member) => boolean = () => true): string[] | undefined =>
    names
      .map((name) => members.find((member) => member.name === name && !member.isList && accepts(member)))
      .find((member) => member !== undefined)?.path;
  const asked = listAsked(operation, definitions);
  const findAsked = (names: readonly string[]): Asked | undefined =>
    names.map((name) => asked.find((each) => each.plain === name)).find((each) => each !== undefined);
  const by = ({ name, in: where }: Asked) => ({ param: name, ...(where && { in: where }) });
  // If a request can ask for a count, the count may be missing, or that of the page.
  const isCounted = !asked.some((each) => /count/.test(each.plain));
  const hasMore = find(moreNames);
  const more = hasMore ? { has_more: hasMore } : {};
  const total = isCounted ? find(totalNames, isNumber) : undefined;
  const link = find(linkNames, isLink) ?? findNestedLink(members);
  // A link is an address to read, which a search that names its page in the body may not heed.
  const isBodyPaged = findAsked(parameterNames.page)?.in === 'body' && !isGraphQuery(operation);
  if (link && !isBodyPaged) return { by: 'next_link', ...place, link };
  const byCursor = findAsked(parameterNames.cursor);
  const cursor = find(
    cursorNames,
    (member) => isScalar(member) && !(linkNames.includes(member.name) && isLink(member)),
  );
  if (byCursor && cursor) return { by: 'cursor', ...place, cursor, ...by(byCursor), ...more };
  const byPage = findAsked(parameterNames.page);
  if (byPage) {
    const pages = find(pagesNames, isNumber);
    const start = firstPage(byPage);
    return {
      by: 'page',
      ...place,
      ...by(byPage),
      ...(start === 1 ? {} : { start }),
      ...(total && { total }),
      ...(pages && { pages }),
      ...more,
    };
  }
  const byOffset = findAsked(parameterNames.offset);
  if (byOffset) return { by: 'offset', ...place, ...by(byOffset), ...(total && { total }), ...more };
  const byLast = findAsked(parameterNames.last);
  if (byLast) return { by: 'search_after', ...place, key: ['id'], ...by(byLast), ...more };
  return success.headers.includes('link') ? { by: 'next_link', ...place } : undefined;
}

/** Finds the list in an answer: by its name, else as the only list at its level. */
function findItems(members: readonly Member[]): string[] | undefined {
  const lists = members.filter(({ isList, name }) => isList && !besideLists.includes(name));
  for (let depth = 1; depth <= 3; depth += 1) {
    const here = lists.filter(({ path }) => path.length === depth);
    const named = listNames.map((name) => here.find((list) => list.name === name)).find((list) => list !== undefined);
    if (named) return named.path;
    if (here.length === 1) return here[0]?.path;
  }
  return undefined;
}

const isNumber = ({ schema }: Member): boolean =>
  listTypes(schema).some((type) => type === 'integer' || type === 'number');

const isScalar = ({ schema }: Member): boolean => {
  const types = listTypes(schema);
  return types.length === 0
    ? schema['properties'] === undefined
    : types.every((type) => type === 'string' || type === 'integer');
};

/**
 * True for a link. A member named only `next` may be a link or a cursor, so its format or the names around it decide. OData 2 calls its link
 * `__next`.
 */
const isLink = ({ name, schema, path }: Member): boolean =>
  listTypes(schema).every((type) => type === 'string') &&
  schema['properties'] === undefined &&
  (name !== 'next' ||
    path.at(-1) === '__next' ||
    /^(uri|url)/.test(String(schema['format'])) ||
    path.some((part) => /link/i.test(part)));

/** Finds HAL's `_links.next.href`. */
const findNestedLink = (members: readonly Member[]): string[] | undefined =>
  members.find(({ name, path }) => name === 'href' && plain(path.at(-2) ?? '') === 'next')?.path;

/** Returns the first page number: 1, unless the parameter says otherwise or is called an index. */
function firstPage({ plain: name, schema }: Asked): number {
  if (schema['default'] === 0 || schema['minimum'] === 0) return 0;
  return name === 'pageindex' && schema['default'] !== 1 && schema['minimum'] !== 1 ? 0 : 1;
}
