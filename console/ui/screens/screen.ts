import type { ReactNode } from 'react';
import type { TypedDocumentNode } from 'urql';
import type { MutationDocument } from '#console/graph/mutate.ts';
import type { Action, BulkAction } from './action.ts';
import type { Filter } from './filters.ts';
import type { Entity } from './rows.ts';

/** How a value of a row is shown: as an element, and as text for CSV files and screen readers. */
export interface Format<Row> {
  text: (row: Row) => string;
  draw?: (row: Row) => ReactNode;
  /** Numbers align at the end. */
  align?: 'end';
  /** Yes or no, which a phone shows with its heading. */
  isFlag?: true;
  /** A width that fits its values, in CSS. */
  width?: string;
}

/** A column of a list, or a fact of a detail page. */
export interface Column<Row> {
  key: string;
  label: string;
  show: Format<Row>;
  /** CSS, such as `minmax(120px, 2fr)`; left out: the width of the format. */
  width?: string;
}

/** A document whose result and variables its declaration has checked. */
export type AnyDocument = TypedDocumentNode<Record<string, unknown>, Record<string, unknown>>;

export interface Connection<Row> {
  edges: readonly { node: Row }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** The rows of the connection that a field of a query returns. */
export type RowOf<Data, Field extends keyof Data> =
  NonNullable<Data[Field]> extends { edges: readonly { node: infer Row }[] } ? Row & Entity : never;

/** A list of a noun as data; `ListPage` draws it. */
export interface ListScreen<Row extends Entity = Entity> {
  /** The field of `Query` that is listed; saved views name it. */
  query: string;
  /** Takes `first`, `after`, and `filter` and `orderBy` where the screen has any. */
  document: AnyDocument;
  /** Where the connection is in the data, if it is not the member `query`. */
  page?: (data: never) => Connection<Row> | null | undefined;
  columns: readonly Column<Row>[];
  filters?: readonly Filter[];
  /** The fields of the list's order, by which its columns of the same key sort: column key to enum value. */
  orders?: Readonly<Record<string, string>>;
  /** The subscription of its changes; its one field is the update. */
  follow?: AnyDocument;
  /** The subscription takes no filter, so the list follows it only while it has neither a filter nor another order. */
  followsUnfiltered?: true;
  /** Actions on the selected rows, or on all that match the filter. */
  bulk?: readonly BulkAction<Row>[];
  /** Drawn between the filters and the rows: what the list amounts to. */
  summary?: () => ReactNode;
  /** Actions without a row, such as creating one. */
  actions?: readonly Action<null>[];
  /** Pages of the noun's `pages` to begin something on, such as an import, with the mutation that they end in. */
  links?: readonly { id: string; label: string; document: MutationDocument }[];
  /** The page that a row opens; null where rows have none. Left out: the noun's own. */
  open?: ((row: Row) => { noun: string; id: string } | null) | null;
  /** Shown where the list is empty without a filter: what to do first. `[words](noun)` links to the list of a noun. */
  empty: string;
}

/** Declares a list of the field of `Query` that the document reads; the types of its columns follow from it. */
export function list<Data, Variables, Field extends keyof Data & string>(
  query: Field,
  document: TypedDocumentNode<Data, Variables>,
  screen: ListOptions<RowOf<Data, Field>>,
): ListScreen {
  return { ...screen, query, document } as unknown as ListScreen;
}

/** Declares a list that is not a field of `Query`, such as the lines of a document; `page` finds its connection. */
export function nestedList<Data, Variables, Row extends Entity>(
  document: TypedDocumentNode<Data, Variables>,
  page: (data: Data) => Connection<Row> | null | undefined,
  screen: ListOptions<Row>,
): ListScreen {
  return { ...screen, query: '', document, page } as unknown as ListScreen;
}

type ListOptions<Row extends Entity> = Omit<ListScreen<Row>, 'query' | 'document' | 'page' | 'follow'> & Followed;

/** The subscription of a list or a page; its variables are those of the document that are set. */
interface Followed {
  follow?: TypedDocumentNode<unknown, never>;
}

/** A part of a detail page below its facts. */
export interface Section<T> {
  key: string;
  title: string;
  /** False hides it, for objects that have nothing of the kind. */
  when?: (object: T) => boolean;
  draw: (object: T) => ReactNode;
}

/** The page of one object as data; `DetailPage` draws it. */
export interface DetailScreen<T extends Entity = Entity> {
  /** The field of `Query`, or `node`. */
  query: string;
  document: AnyDocument;
  /** The variables that name the object; left out: `{ id }`. */
  variables?: (id: string) => Record<string, unknown>;
  title: (object: T) => string;
  /** The state that is shown beside the title. */
  state?: (object: T) => string | null | undefined;
  facts: readonly Column<T>[];
  sections?: readonly Section<T>[];
  actions?: readonly Action<T>[];
  /** Lists that are opened filtered to the object: the values of their filters, by name. */
  lists?: readonly { noun: string; label: string; search: (object: T) => Record<string, string> }[];
  /** A subscription whose changes update the page: of the object, with the document's variables, or of its list. */
  follow?: AnyDocument;
  /** The variables of `follow` where they are not those of the document. */
  followed?: (object: T) => Record<string, unknown>;
  /** Whether the page and its lists are read again after an event of `follow`; left out: after a change of the object in its list. */
  rereads?: (event: unknown, object: T) => boolean;
  /** While true, the subscription has nothing to tell; it begins again when this turns false. Left out: it is always open. */
  hasEnded?: (object: T) => boolean;
}

type ObjectOf<Data, Field extends keyof Data> = NonNullable<Data[Field]> & Entity;

/** Declares the page of an object that the field of `Query` returns; the types of its facts follow from the document. */
export function detail<Data, Variables, Field extends keyof Data & string>(
  query: Field,
  document: TypedDocumentNode<Data, Variables>,
  screen: Omit<DetailScreen<ObjectOf<Data, Field>>, 'query' | 'document' | 'follow'> & Followed,
): DetailScreen {
  return { ...screen, query, document } as unknown as DetailScreen;
}

/** The screens of a noun. */
export interface Screens {
  list?: ListScreen;
  detail?: DetailScreen;
  /** Instead of `detail`, where the page takes much code that the list does without. */
  loadDetail?: () => Promise<DetailScreen>;
  /** A page that is drawn by hand instead of a list. */
  page?: () => ReactNode;
  /** The page of an object, by its id as it stands in the address, that is drawn by hand. */
  object?: (id: string) => ReactNode;
  /** Pages that are drawn by hand below the noun, by the last part of their address. */
  pages?: Readonly<Record<string, () => ReactNode>>;
}
