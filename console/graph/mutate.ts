import type { Client, CombinedError, TypedDocumentNode } from 'urql';
import { common } from '#console/words/common.words.ts';
import { errorSentence, fieldSentence } from '#console/words/errors.ts';
import { readGraphError } from './read-error.ts';

/** A document of one mutation that takes the variable `input`. */
export type MutationDocument = TypedDocumentNode<unknown, { input: never }>;

/** Why a mutation was refused: a sentence, and sentences for fields of the input by their path. */
export interface MutationRefusal {
  code: string;
  message: string;
  fields: Readonly<Record<string, string>>;
}

export type MutationResult =
  | { payload: Record<string, unknown>; refusal?: undefined }
  | { payload?: undefined; refusal: MutationRefusal };

interface GraphError {
  code: string;
  message: string;
  fields?: { path: string; messages: string[] }[];
}

/** Runs a mutation of one field, and tells its payload from its typed errors. */
export async function mutate(
  client: Client,
  document: MutationDocument,
  input: Record<string, unknown>,
): Promise<MutationResult> {
  const { data, error } = await client.mutation<Record<string, unknown>>(document, { input }).toPromise();
  const result =
    data && (Object.entries(data).find(([key]) => key !== '__typename')?.[1] as Record<string, unknown> | undefined);
  if (!result) return { refusal: refusalOf(error) };
  if (typeof result['code'] !== 'string' || typeof result['message'] !== 'string') return { payload: result };
  const { code, message, fields = [] } = result as unknown as GraphError;
  return {
    refusal: {
      code,
      message: errorSentence(code, message),
      fields: Object.fromEntries(fields.map(({ path, messages }) => [path, messages.map(fieldSentence).join(' ')])),
    },
  };
}

function refusalOf(error: CombinedError | undefined): MutationRefusal {
  const first = error?.graphQLErrors[0];
  if (first) return { ...readGraphError(first), fields: {} };
  // A token is asked for before anything is sent, and a fetch without an answer throws a TypeError.
  const wasSent = error?.networkError instanceof TypeError;
  return { code: 'UNAVAILABLE', message: wasSent ? common.unanswered : common.notSignedIn, fields: {} };
}
