import type { FieldNode, SelectionNode, SelectionSetNode } from 'graphql/language/ast.js';
import { parse } from 'graphql/language/parser.js';
import type { ApiCall } from '#src/automation/node-api/api-call.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';
import { invalid, readValue, type Values } from './values.ts';

const maxLength = 20_000;
const maxTokens = 5_000;

const rule = 'must be one selection set, such as { id name lines { sku } }';

/**
 * Puts the selection set of the config into the query of a GraphQL call. Returns the call itself if the config has none or the generated one.
 * Throws a NodeError for text that is anything else than one selection set, so that it cannot add fields or operations to the query.
 */
export function withSelection(call: ApiCall, values: Values): ApiCall {
  const { selection: field, fixed_body: fixed } = call;
  const given = field === undefined ? undefined : readValue(values, field);
  if (field === undefined || given === undefined) return call;
  if (typeof given !== 'string') throw invalid(field, `${rule}.`);
  const text = given.trim();
  if (text.length > maxLength) throw invalid(field, `must have at most ${maxLength} characters.`);
  assertSelectionSet(field, text);
  const query = readQuery(call);
  const { loc } = findQueryRoot(call)?.selectionSet ?? {};
  if (!loc) throw invalid(field, 'cannot be used, because the query of this node selects nothing.');
  const changed = query.slice(0, loc.start) + text + query.slice(loc.end);
  return changed === query ? call : { ...call, fixed_body: { ...fixed, query: changed } };
}

/** Throws a NodeError if the query does not select the members by which the pages of its list are read. */
export function assertPagesSelected(call: ApiCall): void {
  const { paging, selection: field } = call;
  if (field === undefined || paging?.by !== 'cursor') return;
  for (const path of [paging.items ?? [], paging.cursor]) {
    // The first two members are `data` and the root field.
    const members = path.slice(2);
    if (!selects(findQueryRoot(call)?.selectionSet, members))
      throw invalid(field, `must select ${members.join('.')}, without which the pages of the list cannot be read.`);
  }
}

/** Leaves out of an answer's schema the members that the query does not select, or selects under another name. */
export function selectedSchema(call: ApiCall, schema: JsonSchema): JsonSchema {
  const root = findQueryRoot(call);
  return root?.selectionSet
    ? within(schema, ['data', root.name.value], (answer) => narrow(answer, root.selectionSet as SelectionSetNode))
    : schema;
}

const readQuery = ({ fixed_body: fixed }: ApiCall): string =>
  typeof fixed?.['query'] === 'string' ? fixed['query'] : '';

/** The root field of a call's query; undefined for a query that was edited into something else. */
function findQueryRoot(call: ApiCall): FieldNode | undefined {
  try {
    return findRoot(readQuery(call));
  } catch {
    return undefined;
  }
}

function assertSelectionSet(field: string, text: string): void {
  const before = 'query { field ';
  let set: SelectionSetNode | undefined;
  try {
    set = findRoot(`${before}${text}\n}`)?.selectionSet;
  } catch (error) {
    // The parser throws a RangeError for text that is nested too deep.
    const reason = error instanceof Error ? error.message.replaceAll(/\s+/g, ' ').slice(0, 200) : '';
    throw invalid(field, `${rule}. ${reason}`);
  }
  if (set?.loc?.start !== before.length || set.loc.end !== before.length + text.length)
    throw invalid(field, `${rule}.`);
  if (hasSpread(set)) throw invalid(field, 'must not name a fragment; write "... on Type { id }" instead.');
}

/** The only field of the only operation of a document. */
function findRoot(document: string): FieldNode | undefined {
  const [operation, ...others] = parse(document, { maxTokens }).definitions;
  if (operation?.kind !== 'OperationDefinition' || others.length > 0) return undefined;
  const [root, ...siblings] = operation.selectionSet.selections;
  return root?.kind === 'Field' && siblings.length === 0 ? root : undefined;
}

const hasSpread = ({ selections }: SelectionSetNode): boolean =>
  selections.some(
    (each) => each.kind === 'FragmentSpread' || (each.selectionSet !== undefined && hasSpread(each.selectionSet)),
  );

const answerName = ({ alias, name }: FieldNode): string => (alias ?? name).value;

/** True if the answer will have a member at a path. */
function selects(set: SelectionSetNode | undefined, path: readonly string[]): boolean {
  const [name, ...rest] = path;
  if (name === undefined) return true;
  return (set?.selections ?? []).some((each) => {
    if (each.kind === 'InlineFragment') return selects(each.selectionSet, path);
    return each.kind === 'Field' && answerName(each) === name && selects(each.selectionSet, rest);
  });
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Changes the schema of a member. */
function within(schema: JsonSchema, path: readonly string[], change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const [name, ...rest] = path;
  if (name === undefined) return change(schema);
  const { properties } = schema;
  const member = isSchema(properties) ? properties[name] : undefined;
  return isSchema(member)
    ? { ...schema, properties: { ...(properties as object), [name]: within(member, rest, change) } }
    : schema;
}

function narrow(schema: JsonSchema, set: SelectionSetNode): JsonSchema {
  const { items, properties, required: _, ...rest } = schema;
  if (isSchema(items)) return { ...schema, items: narrow(items, set) };
  if (!isSchema(properties)) return schema;
  const members = Object.entries(properties).flatMap(([name, member]): [string, unknown][] => {
    const field = set.selections.find((each) => isPlainField(each, name));
    if (!field || !isSchema(member)) return [];
    return [[name, field.selectionSet ? narrow(member, field.selectionSet) : member]];
  });
  return { ...rest, properties: Object.fromEntries(members) };
}

const isPlainField = (selection: SelectionNode, name: string): selection is FieldNode =>
  selection.kind === 'Field' && selection.alias === undefined && selection.name.value === name;
