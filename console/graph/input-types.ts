import { Kind, type DocumentNode } from 'graphql';

/** One member of an input type of the graph. */
export interface InputField {
  name: string;
  /** The name of a scalar, an enum or another input type. */
  type: string;
  isList?: true;
  isRequired?: true;
  /** English, from the graph. */
  help?: string;
  /** As a literal of the graph: `true`, `25`, `DESC`. */
  default?: string;
}

/** What forms are made of: generated from the graph, and loaded with the first form. */
export interface InputCatalogue {
  /** The input type of each mutation. */
  mutations: Readonly<Record<string, string>>;
  inputs: Readonly<Record<string, InputField[]>>;
  /** The values of each enum with their help. */
  enums: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export const readInputTypes = async (): Promise<InputCatalogue> =>
  (await import('#console/generated/inputs.json')).default as InputCatalogue;

/** The field of a document of one mutation. */
export function mutationFieldOf(document: DocumentNode | string): string {
  const operation =
    typeof document === 'string'
      ? undefined
      : document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const field = operation?.kind === Kind.OPERATION_DEFINITION ? operation.selectionSet.selections[0] : undefined;
  return field?.kind === Kind.FIELD ? field.name.value : '';
}
