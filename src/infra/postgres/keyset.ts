/** What a loader needs for one page: at most `take` rows between the cursors, the other way round when `backwards`. */
export interface KeyPage<Key> {
  take: number;
  skip: number;
  backwards: boolean;
  after: Key | undefined;
  before: Key | undefined;
}

/** What a Prisma loader needs for one page of rows in the order of a text. */
export interface TextPage {
  take: number;
  skip: number;
  direction: 'asc' | 'desc';
  /** To stand for the text in a Prisma `where`. */
  beyond: { gt?: string; lt?: string };
}

/** How a list's sort key travels: as short text, which a reader answers undefined for when it is not one. */
export interface Cursors<Row, Key> {
  write(row: Row): string;
  read(text: string): Key | undefined;
}
