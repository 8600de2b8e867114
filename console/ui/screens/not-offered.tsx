import { useQuery } from 'urql';
import { Viewer } from '#console/graph/viewer.documents.ts';
import { notOfferedWords } from './not-offered.words.ts';

interface Props {
  /** The key of an action, from the address. */
  doing: string | undefined;
  declared?: readonly { key: string }[] | undefined;
  offered?: readonly { key: string }[] | undefined;
}

/** Says so where an address names an action that the page has, but not for this viewer or not in this state of the object. */
export function NotOffered({ doing, declared = [], offered = [] }: Props) {
  // Until the roles are known, nothing is offered.
  const [{ data }] = useQuery({ query: Viewer });
  const has = (actions: readonly { key: string }[]) => actions.some(({ key }) => key === doing);
  if (!data || !has(declared) || has(offered)) return null;
  return (
    <p className="refusal" role="alert">
      {notOfferedWords.notOffered}
    </p>
  );
}
