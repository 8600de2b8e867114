import type { CombinedError } from 'urql';
import { common } from '#console/words/common.words.ts';

interface Details {
  requestId?: string;
  /** Messages by the path of a field. */
  fields?: Record<string, string[]>;
}

/** The code of an error of the graph, and what it means for a reader: some have no more than a name for a message. */
export function readGraphError({ message, extensions }: CombinedError['graphQLErrors'][number]) {
  const code = typeof extensions['code'] === 'string' ? extensions['code'] : 'INTERNAL';
  if (code === 'TOO_MANY_ATTEMPTS') return { code, message: common.tooManyRequests };
  if (code === 'TENANT_REQUIRED') return { code, message: common.noSuchTenant };
  const { requestId = '', fields: byPath = {} } = extensions as Details;
  if (code === 'INTERNAL') return { code, message: common.unexpected(requestId) };
  const fields = Object.values(byPath).flat();
  return { code, message: fields.length > 0 ? fields.join(' ') : message };
}
