import type { ApiDescription } from './api-description.ts';
import type { DescriptionSource } from './description-source.ts';
import { isObject, member, objectMember, textMember, type JsonObject } from './untrusted-json.ts';

/** A kind of description: how to recognise it, and its reader. The reader is loaded with the first description of its kind. */
interface DescriptionKind<T> {
  name: string;
  isKind: (content: T) => boolean;
  read: (content: T, source: DescriptionSource) => Promise<ApiDescription>;
}

/** Matches comments, followed by a description or the first definition. */
const graphqlStart =
  /^(?:\s|#[^\n]*\n)*(?:"""|"[^"\n]*"\s+[a-z]|schema\s*[@{]|extend\s+\w|directive\s+@|(?:type|scalar|enum|interface|union|input)\s+\w)/;

/** Kinds with a syntax of their own. */
const languages: readonly DescriptionKind<string>[] = [
  {
    name: 'GraphQL schemas',
    isKind: (text) => graphqlStart.test(text.slice(0, 100_000)),
    read: async (text, source) => {
      const { loadSdl } = await import('./graphql/load-schema.ts');
      const { readGraphql } = await import('./graphql/read-graphql.ts');
      return readGraphql(loadSdl(text), source);
    },
  },
  {
    name: 'WSDL 1.1',
    isKind: (text) =>
      /^\s*</.test(text.slice(0, 1_000)) &&
      /<(?:[\w.-]{1,64}:)?definitions\s/.test(text.slice(0, 100_000)) &&
      text.includes('http://schemas.xmlsoap.org/wsdl/'),
    read: async (text, source) => (await import('./wsdl/read-wsdl.ts')).readWsdl(text, source),
  },
  {
    name: 'metadata of OData 2 and 4',
    isKind: (text) => /^\s*<[^]*<(?:\w+:)?Schema[\s>]/.test(text.slice(0, 100_000)) && text.includes('EntityContainer'),
    read: async (text, source) => (await import('./odata/read-odata.ts')).readOdata(text, source),
  },
];

/** Kinds written in JSON or YAML. */
const documents: readonly DescriptionKind<unknown>[] = [
  {
    name: 'OpenAPI 2.0 to 3.1',
    isKind: (document) =>
      /^2(?:\.0)?$/.test(textMember(document, 'swagger')) || /^3(?:\.|$)/.test(textMember(document, 'openapi')),
    read: async (document, source) =>
      (await import('./openapi/read-openapi.ts')).readOpenApi(document as JsonObject, source),
  },
  {
    name: 'AsyncAPI 3',
    isKind: (document) => textMember(document, 'asyncapi').startsWith('3.'),
    read: async (document, source) =>
      (await import('./asyncapi/read-asyncapi.ts')).readAsyncApi(document as JsonObject, source),
  },
  {
    name: 'Postman collections 2.0 and 2.1',
    isKind: (document) =>
      /\/collection\/v2\.[01]\.\d\//.test(textMember(objectMember(document, 'info'), 'schema')) &&
      Array.isArray(member(document, 'item')),
    read: async (document, source) =>
      (await import('./postman/read-postman.ts')).readPostman(document as JsonObject, source),
  },
  {
    name: 'answers to the introspection query of GraphQL',
    isKind: (document) => isObject(member(introspection(document), '__schema')),
    read: async (document, source) => {
      const { loadIntrospection } = await import('./graphql/load-schema.ts');
      const { readGraphql } = await import('./graphql/read-graphql.ts');
      return readGraphql(loadIntrospection(introspection(document)), source);
    },
  },
];

const introspection = (document: unknown): unknown =>
  isObject(member(document, 'data')) ? member(document, 'data') : document;

export const descriptionKinds = { languages, documents };
