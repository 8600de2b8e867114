import { useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { type CombinedError, useClient } from 'urql';
import { readConnection, subscribeConnection } from '#console/ui/connection.ts';
import { readableError } from '#console/ui/load-failed.tsx';
import { ScreensContext } from '#console/ui/screens/screens-context.ts';
import { common } from '#console/words/common.words.ts';
import type { Choice, Lookup, NounLookup } from './lookup.ts';
import { lookupWords as w } from './lookup.words.ts';
import { containsText, nounSource, querySource, type Source } from './sources.ts';

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

/** The answer of a source to a search. */
interface Found {
  source?: Source;
  search?: string;
  choices: readonly Choice[];
  fault?: string;
}

/** Each letter would otherwise ask the server, whose limit a fast typist reaches. In milliseconds. */
const typingPauseMs = 150;

/**
 * What a lookup offers for a text, the choice of a value, why nothing could be read, and what to say where nothing is offered. While the answer is on its way it offers those of
 * the answer before that have the text in their names, because what is offered may be chosen by a key that is pressed meanwhile.
 */
export function useChoices(lookup: Lookup, text: string, value: string | null) {
  const source = useSource(lookup);
  const [found, setFound] = useState<Found>({ choices: [] });
  const [opened, setOpened] = useState<Choice>();
  const listed = found.choices.find(({ id }) => id === value);
  // Kept, because the next answer may not have it.
  if (listed && listed !== opened) setOpened(listed);
  const chosen = listed ?? (opened?.id === value ? opened : undefined);
  const search = text === chosen?.name ? '' : text;
  useEffect(() => {
    let isCurrent = true;
    const show = (next: Pick<Found, 'choices' | 'fault'>) => isCurrent && setFound({ source, search, ...next });
    const ask = () =>
      void source.search(search).then(
        (choices) => show({ choices }),
        (error: CombinedError) => show({ choices: [], fault: sayFault(error) }),
      );
    const timer = setTimeout(ask, search === '' ? 0 : typingPauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [source, search]);
  const isSearching = found.source !== source || found.search !== search;
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
  const offered = !isSearching
    ? found.choices
    : found.source === source
      ? found.choices.filter((choice) => containsText(choice, search))
      : [];
  const choices = chosen && !listed && search === '' ? [chosen, ...offered] : offered;
  const { state } = useSyncExternalStore(subscribeConnection, readConnection);
  const whySearching = state === 'offline' ? common.offlineError : w.searching;
  const fault = isSearching ? undefined : found.fault;
  return { choices, chosen, isSearching, fault, whyNone: isSearching ? whySearching : (fault ?? common.noMatch) };
}

/** The code of a noun may fail to load as well. */
const sayFault = (error: CombinedError): string =>
  'graphQLErrors' in error ? readableError(error).message : common.offlineError;
