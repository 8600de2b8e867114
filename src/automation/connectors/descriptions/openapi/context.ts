import type { JsonObject } from '#src/automation/connectors/descriptions/untrusted-json.ts';
import type { Definitions } from './definitions.ts';
import type { References } from './references.ts';

/** 3.2 and later are read as 3.1, because they are supersets of it. */
export type OpenApiVersion = '2.0' | '3.0' | '3.1';

/** Data that all readers of an operation's parts share. */
export interface OpenApiContext {
  document: JsonObject;
  version: OpenApiVersion;
  references: References;
  definitions: Definitions;
  /** The URL of the description; empty if it was not read from a URL. */
  from: string;
}

/** The context of one operation, with the names of the definitions that the operation refers to so far. */
export interface OperationContext extends OpenApiContext {
  refs: Set<string>;
}
