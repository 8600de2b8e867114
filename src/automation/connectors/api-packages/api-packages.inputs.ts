import { z } from 'zod';
import { globalId, graphTypes } from '#src/infra/graph-types.ts';

const texts = (max: number) => z.array(z.string().min(1).max(2_000)).max(max);

const apiSource = z
  .object({
    text: z.string().nullish().describe('The description itself, within the limit of a JSON body.'),
    uploadId: globalId
      .nullish()
      .describe('An upload of the tenant whose file has been sent, for a larger description: at most 50 MB.'),
    url: z
      .string()
      .max(2_000)
      .nullish()
      .describe('The address of the description. Private addresses are refused unless the operator allows them.'),
    filename: z
      .string()
      .trim()
      .max(191)
      .nullish()
      .describe('The name of the file that the text comes from; it is kept with the package.'),
  })
  .refine(
    ({ text, uploadId, url }) => [text, uploadId, url].filter((given) => given != null).length === 1,
    'Give one of `text`, `uploadId` and `url`.',
  )
  .register(graphTypes, {
    type: 'ApiSourceInput',
    description:
      'A description of an API: OpenAPI, Postman, OData, GraphQL and others. Exactly one of text, upload and URL.',
  });

const operationChoice = z
  .object({
    all: z.boolean().nullish().describe('Every operation.'),
    tags: texts(500).nullish().describe('Operations with one of these tags; case does not matter.'),
    paths: texts(500).nullish().describe('Operations at one of these paths or below one.'),
    search: z
      .string()
      .max(500)
      .nullish()
      .describe('Operations with all of these words in their name, title, path or tags.'),
    operations: texts(2_000).nullish().describe('Operations with one of these names.'),
  })
  .register(graphTypes, {
    type: 'OperationChoiceInput',
    description: 'Which operations become nodes: all, or those that match every other condition.',
  });

export const describeApiInput = z.object({
  source: apiSource.describe('The description to read.'),
  choose: operationChoice.nullish().describe('Lists only these operations; left out, all of them.'),
});

export const createNodePackageInput = z.object({
  source: apiSource.describe('The description to make the package of.'),
  choose: operationChoice
    .nullish()
    .describe(
      'The operations that become nodes; left out for a package that exists, the choice that it was made with.',
    ),
  namespace: z
    .string()
    .trim()
    .max(63)
    .nullish()
    .describe(
      "Prefix of the nodes' slugs, and the package's name before `-nodes`; derived from the API's name by default.",
    ),
});

export type ApiSource = z.output<typeof apiSource>;
export type GivenChoice = z.output<typeof operationChoice>;
