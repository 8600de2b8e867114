import type { Page, Place } from './next-place.ts';
import type { Paging } from './paging-forms.ts';

/** A list that is read page by page, at the pace of its reader. */
export interface PageSource {
  /** Undefined if the list has a single page. */
  paging: Paging | undefined;
  /** The URL of the first page; links to further pages must keep to its origin. Undefined for a list that has no URL and a single page. */
  url?: URL;
  /** Reads a page. Throws a NodeError for an answer that is an error. */
  read(place: Place, number: number): Promise<Page>;
}

/** The place of the first page. */
export const firstPlace = (paging: Paging | undefined): Place =>
  paging?.by === 'offset' || paging?.by === 'page' ? { value: paging.start } : {};
