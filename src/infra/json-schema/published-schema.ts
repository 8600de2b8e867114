/** A JSON Schema (2020-12) of a document that the API takes; anyone may read it at `/api/v1/schemas/{name}/{version}`. */
export interface PublishedSchema {
  /** E.g. `workflow-blob`. */
  name: string;
  /** E.g. `v1`. */
  version: string;
  schema: Readonly<Record<string, unknown>>;
}

declare module '#src/infra/services.ts' {
  interface Services {
    /** The published schemas of every domain, by name and version. */
    publishedSchemas: readonly PublishedSchema[];
  }
}
