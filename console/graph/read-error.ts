import type { CombinedError } from 'urql';
import { common } from '#console/words/common.words.ts';
import { errorSentence, fieldSentence } from '#console/words/errors.ts';

interface Details {
  requestId?: string;
  /** One of them is enough. */
  roles?: string[];
  /** Messages by the path of a field. */
  fields?: Record<string, string[]>;
}

/** The code of an error of the graph, and what it means for a reader: some have no more than a name for a message. */
export function readGraphError({ message, extensions }: CombinedError['graphQLErrors'][number]) {
  const code = typeof extensions['code'] === 'string' ? extensions['code'] : 'INTERNAL';
  if (code === 'TOO_MANY_ATTEMPTS') return { code, message: common.tooManyRequests };
  if (code === 'TENANT_REQUIRED') return { code, message: common.noSuchTenant };
  const { requestId = '', fields: byPath = {}, roles } = extensions as Details;
  if (code === 'FORBIDDEN') return { code, message: roles ? common.needsRole(roles) : common.forbidden };
  if (code === 'UNAUTHENTICATED') return { code, message: common.notAccepted };
  if (code === 'INTERNAL') return { code, message: common.unexpected(requestId) };
  const fields = Object.values(byPath).flat();
  return { code, message: fields.length > 0 ? fields.map(fieldSentence).join(' ') : errorSentence(code, message) };
}
