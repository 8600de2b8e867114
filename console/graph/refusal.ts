import { graphql } from './graphql.ts';

/** The errors of every mutation: selected as `...Refusal` beside the payload. */
export const Refusal = graphql(`
  fragment Refusal on Error {
    __typename code message
    ... on ValidationError { fields { path messages } }
  }
`);
