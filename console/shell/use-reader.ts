import { useParams } from '@tanstack/react-router';
import { useQuery } from 'urql';
import type { Reader } from './readers.ts';
import { Viewer } from './viewer.documents.ts';

/** Who reads this page; without roles until the server has said them. */
export function useReader(): Reader {
  const { tenant = '' } = useParams({ strict: false });
  const [{ data }] = useQuery({ query: Viewer });
  return { tenant, roles: data?.me.context.roles ?? [] };
}
