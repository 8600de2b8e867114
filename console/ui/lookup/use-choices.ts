import { useContext, useEffect, useMemo, useState } from 'react';
import { type CombinedError, useClient } from 'urql';
import { readableError } from '#console/ui/load-failed.tsx';
import { ScreensContext } from '#console/ui/screens/screens-context.ts';
import { common } from '#console/words/common.words.ts';
import type { Choice, Lookup, NounLookup } from './lookup.ts';
import { nounSource, querySource, type Source } from './sources.ts';

function useSource(lookup: Lookup): Source {
  const client = useClient();
  const { load } = useContext(ScreensContext);
  // By its text, because a form may declare it anew each time it is drawn.
  const given =
    typeof lookup === 'string'
      ? JSON.stringify({ noun: lookup })
      : 'document' in lookup
        ? lookup
        : JSON.stringify(lookup);
  return useMemo(
    () =>
      typeof given === 'string'
        ? nounSource(client, load, JSON.parse(given) as NounLookup)
        : querySource(client, given),
    [client, load, given],
  );
}

/** What a lookup offers for a text, the choice of a value, and why nothing could be read. */
export function useChoices(lookup: Lookup, text: string, value: string | null) {
  const source = useSource(lookup);
  const [found, setFound] = useState<{ choices: readonly Choice[]; fault?: string }>({ choices: [] });
  const [opened, setOpened] = useState<Choice>();
  const listed = found.choices.find(({ id }) => id === value);
  const chosen = listed ?? (opened?.id === value ? opened : undefined);
  const search = text === chosen?.name ? '' : text;
  useEffect(() => {
    let isCurrent = true;
    const show = (next: typeof found) => isCurrent && setFound(next);
    source.search(search).then(
      (choices) => show({ choices }),
      (error: CombinedError) => show({ choices: [], fault: sayFault(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [source, search]);
  const isUnknown = value !== null && chosen === undefined;
  useEffect(() => {
    if (!isUnknown) return undefined;
    let isCurrent = true;
    // Without its code the field shows no name, as before it has loaded.
    void source.open(value).then(
      (choice) => (isCurrent && choice ? setOpened(choice) : undefined),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [source, value, isUnknown]);
  const choices = chosen && !listed ? [chosen, ...found.choices] : found.choices;
  return { choices, chosen, fault: found.fault };
}

/** The code of a noun may fail to load as well. */
const sayFault = (error: CombinedError): string =>
  'graphQLErrors' in error ? readableError(error).message : common.offlineError;
