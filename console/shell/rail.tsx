import { Link, useParams } from '@tanstack/react-router';
import { scrollIntoView } from '#console/ui/scroll-into-view.ts';
import { findNoun } from './nouns.ts';
import { nounTitle } from './nouns.words.ts';
import { PlaceIcon } from './place-icon.tsx';
import { placesOf } from './places.ts';
import { shellWords } from './shell.words.ts';
import { useCurrentInView } from './use-current-in-view.ts';
import { useReader } from './use-reader.ts';

/** The places of the console, at the left; on a phone at the foot. */
export function Rail() {
  const { tenant = '', noun = '' } = useParams({ strict: false });
  const current = findNoun(noun)?.place;
  const row = useCurrentInView(current);
  return (
    <nav ref={row} className="rail" aria-label={shellWords.places}>
      {placesOf(useReader()).map(({ place, noun }) => (
        <Link
          key={place}
          className="rail-place"
          to="/t/$tenant/$noun"
          params={{ tenant, noun }}
          aria-current={place === current ? 'page' : undefined}
          ref={place === current ? scrollIntoView : undefined}
        >
          <PlaceIcon place={place} />
          {place === 'overview' || place === 'settings' ? shellWords[place] : nounTitle(noun)}
        </Link>
      ))}
    </nav>
  );
}
