/** What every row of a list and every object with a page has. */
export interface Entity {
  id: string;
}

/** A change of a list, as its subscription reports it. */
export interface ListUpdate<Row> {
  change: 'ADDED' | 'CHANGED' | 'REMOVED' | 'RELOAD';
  id: string | null;
  node: Row | null;
}
