import type { Plugin } from 'graphql-yoga';
import type { PersistedDocuments } from '#src/graphql/persisted-documents.ts';
import { badRequest } from '#src/infra/errors.ts';

/**
 * Lets HTTP clients name a document by its hash, and refuses texts that are not allowed. REST is not affected: its documents
 * are our own and are parsed at the start. Sockets resolve the hash themselves, as Yoga never sees their messages.
 */
export const usePersistedDocuments = (persisted: PersistedDocuments): Plugin => ({
  onParams({ params, setParams }) {
    // Yoga checks the parameters later, so they may have any type here.
    if (typeof params !== 'object' || params === null || params.query) return;
    const query = persisted.findText(params);
    if (query !== '') setParams({ ...params, query });
  },
  onParse({ params: { source } }) {
    if (!persisted.allows(source.toString())) throw badRequest('Only persisted documents are executed here.');
  },
});
