/** What a loader needs for one page: at most `take` rows between the cursors, the other way round when `backwards`. */
export interface KeyPage<Key> {
  take: number;
  skip: number;
  backwards: boolean;
  after: Key | undefined;
  before: Key | undefined;
}

/** How a list's sort key travels: as short text, which a reader answers undefined for when it is not one. */
export interface Cursors<Row, Key> {
  write(row: Row): string;
  read(text: string): Key | undefined;
}
