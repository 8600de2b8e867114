import { useQuery } from 'urql';
import { Viewer } from '#console/graph/viewer.documents.ts';
import { shellWords } from './shell.words.ts';

/** A notice above the page that the tenant is closed because it is moving between installations. Shows nothing while the tenant is open. */
export function MovingTenant() {
  const [{ data }] = useQuery({ query: Viewer });
  const move = data?.me.context.move;
  if (!move) return null;
  return (
    <div role="status" className="session-banner">
      <p>{move.arrives ? shellWords.arrives : shellWords.leaves(move.movesTo)}</p>
    </div>
  );
}
