/** The bounds of one page for a loader: at most `take` rows between the cursors, in reverse order when `backwards`. */
export interface KeyPage<Key> {
  take: number;
  skip: number;
  backwards: boolean;
  after: Key | undefined;
  before: Key | undefined;
}

/** The bounds, for a Prisma loader, of one page of rows sorted by a text column. */
export interface TextPage {
  take: number;
  skip: number;
  direction: 'asc' | 'desc';
  /** The condition on the text column for a Prisma `where`. */
  beyond: { gt?: string; lt?: string };
}

/** Converts a list's sort key to and from short text; reading returns undefined for invalid text. */
export interface Cursors<Row, Key> {
  write(row: Row): string;
  read(text: string): Key | undefined;
}
