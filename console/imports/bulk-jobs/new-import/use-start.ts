import { useRef, useState } from 'react';
import { useClient } from 'urql';
import { mutate, type MutationResult } from '#console/graph/mutate.ts';
import { CreateImportProfile, UpdateImportProfile } from '#console/imports/import-profiles.documents.ts';
import { StartImport } from './new-import.documents.ts';
import { inputOf, type Settings } from './settings.ts';

interface Start {
  uploadId: string;
  name: string;
  settings: Settings;
  dryRun: boolean;
}

/** Members that an update only takes back when it is told so. */
const cleared = { asOf: null, maxRejected: null, namespaces: null };

/** Starts jobs. They are started by the name of a profile, so the settings are saved before: into the one that is chosen, else a new one. */
export function useStart(profile: { id: string } | undefined) {
  const client = useClient();
  const made = useRef<string>(undefined);
  const [busy, setBusy] = useState<'try' | 'import'>();
  const [result, setResult] = useState<MutationResult>();
  const save = async (name: string, settings: Settings): Promise<MutationResult> => {
    const input = { ...inputOf(settings), name };
    const id = profile?.id ?? made.current;
    if (id !== undefined) return mutate(client, UpdateImportProfile, { ...cleared, ...input, id });
    const created = await mutate(client, CreateImportProfile, input);
    made.current = (created.payload?.['importProfile'] as { id: string } | undefined)?.id;
    return created;
  };
  /** Resolves to the id of the job; undefined where it was refused. */
  const start = async ({ uploadId, name, settings, dryRun }: Start): Promise<string | undefined> => {
    setBusy(dryRun ? 'try' : 'import');
    let done = await save(name.trim(), settings);
    if (done.payload) done = await mutate(client, StartImport, { uploadId, profile: name.trim(), dryRun });
    setBusy(undefined);
    setResult(done);
    return (done.payload?.['bulkJob'] as { id: string } | undefined)?.id;
  };
  return { start, busy, refusal: result?.refusal };
}
