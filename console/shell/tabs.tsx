import { Link, useParams } from '@tanstack/react-router';
import { scrollIntoView } from '#console/ui/scroll-into-view.ts';
import { findNoun } from './nouns.ts';
import { nounTitle } from './nouns.words.ts';
import { nounsOfPlace } from './places.ts';
import { useCurrentInView } from './use-current-in-view.ts';
import { useReader } from './use-reader.ts';

/** The nouns of the place that is open. */
export function Tabs({ noun }: { noun: string }) {
  const { tenant = '' } = useParams({ strict: false });
  const place = findNoun(noun)?.place ?? '';
  const tabs = nounsOfPlace(place, useReader());
  const row = useCurrentInView(noun);
  if (tabs.length < 2) return null;
  return (
    <nav ref={row} className="tabs" aria-label={nounTitle(place)}>
      {tabs.map((tab) => (
        <Link
          key={tab.noun}
          className="tab"
          to="/t/$tenant/$noun"
          params={{ tenant, noun: tab.noun }}
          aria-current={tab.noun === noun ? 'page' : undefined}
          ref={tab.noun === noun ? scrollIntoView : undefined}
        >
          {nounTitle(tab.noun)}
        </Link>
      ))}
    </nav>
  );
}
