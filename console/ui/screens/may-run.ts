import { useMemo } from 'react';
import { useQuery } from 'urql';
import { mutationFieldOf } from '#console/graph/input-types.ts';
import type { MutationDocument } from '#console/graph/mutate.ts';
import { Viewer } from '#console/graph/viewer.documents.ts';

/** Whether the viewer's roles allow the mutation of a document, as the server says; false until it has. */
export function useMayRun(): (document: MutationDocument) => boolean {
  // That of the head, so that both are one request.
  const [{ data }] = useQuery({ query: Viewer });
  return useMemo(() => {
    const allowed = new Set(data?.me.context.mutations);
    return (document) => allowed.has(mutationFieldOf(document));
  }, [data]);
}

interface Acting {
  actions?: readonly { document: MutationDocument }[];
  bulk?: readonly { document: MutationDocument }[];
  links?: readonly { document: MutationDocument }[];
}

/** The screen without the actions that the viewer's roles do not allow. */
export function useOffered<S extends Acting>(screen: S): S {
  const mayRun = useMayRun();
  return useMemo(() => {
    // Without any, a list has no boxes to select rows with.
    const allowed = (all: readonly { document: MutationDocument }[] = []) => {
      const found = all.filter(({ document }) => mayRun(document));
      return found.length > 0 ? found : undefined;
    };
    const { actions, bulk, links, ...rest } = screen;
    const offered = { actions: allowed(actions), bulk: allowed(bulk), links: allowed(links) };
    return { ...rest, ...offered } as S;
  }, [screen, mayRun]);
}
