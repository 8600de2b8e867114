import { useEffect, useMemo, useState } from 'react';
import { useClient } from 'urql';
import { ResolveNodeConfig } from '#console/automation/editor/editor.documents.ts';
import type { Json } from '#console/automation/editor/model/graph.ts';
import { mutate } from '#console/graph/mutate.ts';
import { language } from '#console/words/language.ts';

/** The node that a field belongs to, in the version that it runs. */
export interface FieldNode {
  slug: string;
  version: string;
  config: Json;
}

export interface DynamicOption {
  value: string | number | boolean;
  label: string;
}

interface Answer {
  options?: readonly DynamicOption[];
  refusal?: string;
}

const pauseMs = 300;

interface ResolvedField {
  key: string;
  options?: { value: string | number | boolean; label?: string }[];
}

/** The options of a field of what a node answered. */
export const optionsIn = (fields: readonly ResolvedField[], key: string): DynamicOption[] =>
  (fields.find((field) => field.key === key)?.options ?? []).map(({ value, label }) => ({
    value,
    label: label ?? String(value),
  }));

/**
 * Asks a node for the options of a field, a moment after the other fields or the search have changed. While it is asked again, the options
 * that were there stay.
 */
export function useDynamicOptions({ slug, version, config }: FieldNode, key: string, search: string) {
  const client = useClient();
  const [answer, setAnswer] = useState<Answer & { asked?: string }>({});
  const [tries, setTries] = useState(0);
  const input = useMemo(() => {
    const { [key]: _, ...others } = config;
    return { slug, version, target: key, config: others, locale: language, ...(search && { search }) };
  }, [slug, version, key, config, search]);
  const asked = JSON.stringify([input, tries]);
  useEffect(() => {
    let isLeft = false;
    const timer = setTimeout(() => {
      void mutate(client, ResolveNodeConfig, input).then(({ payload, refusal }) => {
        if (isLeft) return;
        if (refusal) setAnswer((before) => ({ ...before, refusal: refusal.message, asked }));
        else setAnswer({ options: optionsIn(payload['resolved'] as ResolvedField[], key), asked });
      });
    }, pauseMs);
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the text of the question stands for it
  }, [client, asked]);
  return { ...answer, isBusy: answer.asked !== asked, retry: () => setTries(tries + 1) };
}
