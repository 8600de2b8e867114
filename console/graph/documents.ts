import { type DocumentNode, Kind } from 'graphql';
import type { TypedDocumentNode } from 'urql';
import type { introspection } from '#console/generated/graph.d.ts';
import { graphql } from './graphql.ts';
import type { MutationDocument } from './mutate.ts';
import { type Operation, operations } from './operations.ts';
import { Refusal } from './refusal.ts';

/*
 * Makers of the documents that nouns have alike. Like those of graphql(), their arguments must be literals and constants of the same name as
 * their fragment: the build reads them from the sources.
 */

type Fields<Type extends 'Mutation' | 'Query' | 'Subscription'> = keyof introspection['types'][Type]['fields'] & string;
type Variables = Record<string, unknown>;

/** A page of a list of `Query`; it takes each argument of the field as a variable. */
export const rows = <Field extends Fields<'Query'>, Row>(field: Field, fragment: TypedDocumentNode<Row>) =>
  make(operations.rows(field, nameOf(fragment)), [fragment]) as TypedDocumentNode<
    Record<Field, { edges: { node: Row }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } }>,
    Variables
  >;

/** One object by its id: null where there is none, or none that the viewer may read. */
export const page = <Field extends Fields<'Query'>, T>(field: Field, fragment: TypedDocumentNode<T>) =>
  make(operations.page(field, nameOf(fragment)), [fragment]) as TypedDocumentNode<
    Record<Field, T | null>,
    { id: string }
  >;

/** The changes of a list: its rows that are added, changed and removed. */
export const changes = <Field extends Fields<'Subscription'>, Row>(field: Field, fragment: TypedDocumentNode<Row>) =>
  make(operations.changes(field, nameOf(fragment)), [fragment]) as TypedDocumentNode<
    Record<Field, { change: string; id: string | null; node: Row | null }>,
    Variables
  >;

/** A mutation, with what is read of its payload: `mutation('cancelOrder', 'order { ...OrderRow }', [OrderRow])`. */
export const mutation = (field: Fields<'Mutation'>, selection: string, fragments: readonly DocumentNode[] = []) =>
  make(operations.mutation(field, selection, fragments.map(nameOf)), [...fragments, Refusal]) as MutationDocument;

/** As `graphql()` is typed, the text of a document is known when it is compiled. */
const parse = graphql as unknown as (text: string, fragments: readonly DocumentNode[]) => DocumentNode;

const make = ({ text }: Operation, fragments: readonly DocumentNode[]): unknown => parse(text, fragments);

function nameOf({ definitions: [first] }: DocumentNode): string {
  if (first?.kind !== Kind.FRAGMENT_DEFINITION) throw new TypeError('Pass a fragment: graphql(`fragment ...`).');
  return first.name.value;
}
