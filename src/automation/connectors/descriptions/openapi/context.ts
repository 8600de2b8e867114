import type { JsonObject } from '#src/automation/connectors/descriptions/untrusted-json.ts';
import type { Definitions } from './definitions.ts';
import type { References } from './references.ts';

/** 3.2 and later count as 3.1, of which they are supersets. */
export type OpenApiVersion = '2.0' | '3.0' | '3.1';

/** What the readers of the parts of an operation share. */
export interface OpenApiContext {
  document: JsonObject;
  version: OpenApiVersion;
  references: References;
  definitions: Definitions;
  /** The URL that the description came from; empty if it did not come from one. */
  from: string;
}

/** What is read from one operation: the context, and the names of the definitions that it refers to so far. */
export interface OperationContext extends OpenApiContext {
  refs: Set<string>;
}
