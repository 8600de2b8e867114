import { useParams } from '@tanstack/react-router';

/** A page of the documentation. */
export function DocsRoute() {
  const { page = '' } = useParams({ strict: false });
  return <h1>{page}</h1>;
}
