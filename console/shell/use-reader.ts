import { useParams } from '@tanstack/react-router';
import { useQuery } from 'urql';
import { Viewer } from '#console/graph/viewer.documents.ts';
import type { Reader } from './readers.ts';

/** Who reads this page; without roles until the server has said them. */
export function useReader(): Reader {
  const { tenant = '' } = useParams({ strict: false });
  const [{ data }] = useQuery({ query: Viewer });
  return { tenant, roles: data?.me.context.roles ?? [] };
}
