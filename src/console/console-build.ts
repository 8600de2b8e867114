import { z } from 'zod';

/** What `index.html` refers to: names of files, and the icon. */
export const page = z.object({
  /** The module that starts the console. */
  entry: z.string(),
  /** The modules that the entry and the first screens import at once, so that the browser can ask for all of them together; in a release, the entry holds them. */
  imports: z.array(z.string()),
  style: z.string(),
  /** As a data URL. */
  icon: z.string(),
});

export type Page = z.infer<typeof page>;

/** A file of the console as it is sent; those who made the build ahead may have compressed it, too. */
export interface Asset {
  content: Buffer;
  br?: Buffer;
  gzip?: Buffer;
}

/** The console, ready to be served. */
export interface ConsoleBuild {
  /** Changes with the sources, so that a page can tell that the server has a newer console. */
  id: string;
  page: Page;
  /** The texts of its queries, mutations and subscriptions, as it sends them, by their sha256. */
  documents: ReadonlyMap<string, string>;
  /** By name; each is served below the id, so that an address never stands for another content. */
  assets: ReadonlyMap<string, Asset>;
}

/** The console that a process serves. */
export interface ConsoleSite {
  /** The build to serve now. */
  build: () => ConsoleBuild;
  /** Calls the listener with each later build, until the returned function is called; absent where the build never changes. */
  onChange?: (listener: (build: ConsoleBuild) => void) => () => void;
  close: () => void;
}
