import { useQuery } from 'urql';
import { ListLink } from '#console/ui/object-link.tsx';
import { numberText } from '#console/words/values.ts';
import { WaitingForReview } from './extension-reviews.documents.ts';
import { reviewWords as w } from './extension-reviews.words.ts';

/** How many versions wait for an operator; it narrows the list to them. */
export function Waiting() {
  const [{ data }] = useQuery({ query: WaitingForReview, requestPolicy: 'cache-and-network' });
  const count = data?.allExtensions.totalCount ?? 0;
  if (count === 0) return null;
  return (
    <div className="reasons">
      <ListLink noun="extension-reviews" search={{ status: 'DRAFT', type: 'PUBLIC' }} className="reason">
        {w.waiting(count, numberText(count))}
      </ListLink>
    </div>
  );
}
