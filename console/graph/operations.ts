import { fieldArguments } from '#console/generated/arguments.ts';

/** An operation of a shape that nouns share: its text without its fragments, and the names of those that it spreads. */
export interface Operation {
  text: string;
  fragments: readonly string[];
}

/**
 * The operations by their maker in documents.ts. The build makes them too, from the calls that it finds in the sources: an operation
 * follows from the names alone.
 */
export const operations = {
  rows: (field: string, fragment: string): Operation => {
    const { variables, values } = argumentsOf(field);
    const connection = `edges { node { ...${fragment} } } pageInfo { hasNextPage endCursor }`;
    return {
      text: `query ${capital(field)}${variables} { ${field}${values} { ${connection} } }`,
      fragments: [fragment],
    };
  },
  page: (field: string, fragment: string): Operation => ({
    text: `query ${fragment}($id: ID!) { ${field}(id: $id) { ...${fragment} } }`,
    fragments: [fragment],
  }),
  changes: (field: string, fragment: string): Operation => {
    const { variables, values } = argumentsOf(field);
    return {
      text: `subscription ${capital(field)}${variables} { ${field}${values} { change id node { ...${fragment} } } }`,
      fragments: [fragment],
    };
  },
  mutation: (field: string, selection: string, fragments: readonly string[] = []): Operation => {
    const type = capital(field);
    const result = `... on ${type}Payload { ${selection} } ...Refusal`;
    return {
      text: `mutation ${type}($input: ${type}Input!) { ${field}(input: $input) { ${result} } }`,
      fragments: [...fragments, 'Refusal'],
    };
  },
};

const capital = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);

/** A variable for each argument of a field: what is not given is not sent. */
function argumentsOf(field: string): { variables: string; values: string } {
  const all = Object.entries(fieldArguments[field] ?? {});
  if (all.length === 0) return { variables: '', values: '' };
  return {
    variables: `(${all.map(([name, type]) => `$${name}: ${type}`).join(', ')})`,
    values: `(${all.map(([name]) => `${name}: $${name}`).join(', ')})`,
  };
}
