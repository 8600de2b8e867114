import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { mutate, type MutationRefusal } from '#console/graph/mutate.ts';
import { PreviewImport } from './new-import.documents.ts';
import { inputOf, type Settings } from './settings.ts';

export interface PreviewRow {
  line: number;
  values: Record<string, string | null>;
  errors: readonly { column: string | null; reason: string }[];
}

export interface Preview {
  /** Undefined before the first answer, and where the settings were refused. */
  rows?: readonly PreviewRow[];
  refusal?: MutationRefusal;
  /** The rows are those of settings before the last change. */
  isOld: boolean;
}

/** A pause in typing after which the server is asked, in milliseconds. */
const pauseMs = 300;

/** The first rows of the file by the settings, asked for again when they change. */
export function usePreview(uploadId: string, settings: Settings): Preview {
  const client = useClient();
  const [preview, setPreview] = useState<Preview>({ isOld: true });
  const asked = JSON.stringify(inputOf(settings));
  useEffect(() => {
    let isCurrent = true;
    setPreview((before) => ({ ...before, isOld: true }));
    const timer = setTimeout(() => {
      void mutate(client, PreviewImport, { uploadId, settings: JSON.parse(asked), rows: 100 }).then((result) => {
        if (!isCurrent) return;
        if (result.refusal) setPreview({ refusal: result.refusal, isOld: false });
        else setPreview({ rows: result.payload['rows'] as PreviewRow[], isOld: false });
      });
    }, pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [client, uploadId, asked]);
  return preview;
}

/** The fault of a setting: `delimiter`, `mapping.quantity`. */
export const faultOf = ({ refusal }: Preview, path: string): string | undefined =>
  refusal?.fields[path] ?? refusal?.fields[`settings.${path}`];
