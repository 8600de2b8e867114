import { useQuery } from 'urql';
import { ShownPayload } from '#console/automation/editor/trial/trial.documents.ts';
import type { Sample } from './use-sample.ts';

interface LastPayload {
  /** JSON; absent where there is no run, or none that is read yet. */
  text?: string | undefined;
  databaseId: number;
  isReading: boolean;
}

/** The payload of the last run that was no test, else of the last one. Reads nothing where the sample is left out. */
export function useLastPayload(sample: Sample | undefined): LastPayload {
  const run = sample?.runs.find(({ isTest }) => !isTest) ?? sample?.runs[0];
  const [{ data, fetching }] = useQuery({ query: ShownPayload, variables: { id: run?.id ?? '' }, pause: !run });
  const read = run && data?.run?.id === run.id ? data.run : undefined;
  return {
    text: read?.payload == null ? undefined : JSON.stringify(read.payload, null, 2),
    databaseId: run?.databaseId ?? 0,
    isReading: run !== undefined && fetching,
  };
}
