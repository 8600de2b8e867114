import { useRef, useState } from 'react';
import { useClient } from 'urql';
import { mutate } from '#console/graph/mutate.ts';
import { type FileAddress, sendFile } from '#console/ui/send-file.ts';
import type { SentFile } from './draft.ts';
import { isBinary, readHead } from './file-head.ts';
import { CreateUpload, ProposeImport } from './new-import.documents.ts';
import { newImportWords as w } from './new-import.words.ts';
import type { Proposal } from './settings.ts';

export interface UploadState {
  file: File;
  /** 0 to 1, of what is sent. */
  progress: number;
  /** It was sent and looked at. */
  isDone?: true;
  /** Why it could not be sent or read. */
  fault?: string;
}

/** Sends a file and asks what it seems to be. The last one that was sent stays until another was. */
export function useUpload() {
  const client = useClient();
  const [state, setState] = useState<UploadState>();
  const [sent, setSent] = useState<SentFile>();
  const stop = useRef<AbortController>(undefined);
  const send = async (file: File) => {
    stop.current?.abort();
    const { signal } = (stop.current = new AbortController());
    const update = (more: Partial<UploadState>) => {
      if (!signal.aborted) setState((before) => ({ file, progress: 0, ...before, ...more }));
    };
    setState({ file, progress: 0 });
    if (file.size === 0) return update({ fault: w.emptyFile });
    const made = await mutate(client, CreateUpload, {
      filename: file.name.slice(-191),
      contentType: file.type || 'application/octet-stream',
      size: file.size,
    });
    if (made.refusal) return update({ fault: sentences(made.refusal) });
    const uploadId = (made.payload['upload'] as { id: string }).id;
    const address = made.payload['target'] as FileAddress;
    const status = await sendFile(file, address, (progress) => update({ progress }), signal);
    if (signal.aborted) return undefined;
    if (status < 200 || status > 299) return update({ fault: w.sendFailed(status) });
    const looked = await mutate(client, ProposeImport, { uploadId });
    if (looked.refusal) return update({ progress: 1, fault: sentences(looked.refusal) });
    const proposal = looked.payload['proposal'] as Proposal;
    const head = await readHead(file);
    if (signal.aborted) return undefined;
    if (isBinary(head, proposal)) return update({ progress: 1, fault: w.notRecords });
    setSent({ name: file.name, uploadId, proposal, head });
    return update({ progress: 1, isDone: true });
  };
  return { upload: state, sent, send };
}

/** The sentences of the fields, which say what to do; where there are none, that of the whole. */
const sentences = ({ message, fields }: { message: string; fields: Readonly<Record<string, string>> }): string =>
  Object.values(fields).join(' ') || message;
