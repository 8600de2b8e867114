import { useQuery } from 'urql';
import { ListLink } from '#console/ui/object-link.tsx';
import { numberText } from '#console/words/values.ts';
import { ReasonsOfDeadLetters } from './dead-letters.documents.ts';
import { deadLetterWords as w } from './dead-letters.words.ts';

/** Why firings could not start their runs, with how many there are of each reason; each narrows the list to it. */
export function Reasons() {
  const [{ data }] = useQuery({ query: ReasonsOfDeadLetters, requestPolicy: 'cache-and-network' });
  const groups = data?.errorGroups.edges.flatMap(({ node }) => (node.count > 0 ? [node] : [])) ?? [];
  if (!data || groups.length === 0) return null;
  return (
    <nav className="reasons" aria-label={w.reasons}>
      <span className="quiet">{w.pending(numberText(data.deadLetterSummary.total))}</span>
      {groups.map(({ id, message, count }) => (
        <ListLink key={id} noun="dead-letters" search={{ group: id, status: 'PENDING' }} className="reason">
          {message} <span className="quiet">{numberText(count)}</span>
        </ListLink>
      ))}
    </nav>
  );
}
