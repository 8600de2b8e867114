import { type FormEvent, useId, useRef, useState } from 'react';
import { useClient } from 'urql';
import { mutate } from '#console/graph/mutate.ts';
import { Button } from '#console/ui/button.tsx';
import type { Api, Source } from './api.ts';
import { DescribeApi } from './connect.documents.ts';
import { connectWords as w } from './connect.words.ts';
import { sendSource } from './send-source.ts';

/** Asks for a file or an address, and has the server read it. */
export function SourceForm({ done }: { done: (api: Api, source: Source) => void }) {
  const id = useId();
  const client = useClient();
  const [file, setFile] = useState<File>();
  const [url, setUrl] = useState('');
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const stop = useRef<AbortController>(undefined);
  const read = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setFault(undefined);
    stop.current = new AbortController();
    const source = file ? await sendSource(client, file, stop.current.signal) : { url: url.trim() };
    const answer = typeof source === 'string' ? undefined : await mutate(client, DescribeApi, { source });
    setBusy(false);
    if (typeof source === 'string') setFault(source);
    else if (answer?.refusal) setFault(Object.values(answer.refusal.fields).join(' ') || answer.refusal.message);
    else done(answer?.payload['api'] as Api, source);
  };
  return (
    <form className="connect-source" onSubmit={(event) => void read(event)}>
      <div className="field">
        <label htmlFor={`${id}-file`}>{w.file}</label>
        <input id={`${id}-file`} className="input" type="file" onChange={({ target }) => setFile(target.files?.[0])} />
      </div>
      <div className="field">
        <label htmlFor={`${id}-url`}>{w.address}</label>
        <input
          id={`${id}-url`}
          className="input"
          type="url"
          placeholder="https://api.example.com/openapi.json"
          aria-describedby={`${id}-help`}
          disabled={file !== undefined}
          value={url}
          onChange={({ target }) => setUrl(target.value)}
        />
        <p id={`${id}-help`} className="field-help">
          {w.addressHelp}
        </p>
      </div>
      <div>
        <Button type="submit" kind="main" isBusy={busy} isDisabled={!file && url.trim() === ''}>
          {w.read}
        </Button>
      </div>
      <p role="status" className="quiet">
        {busy ? w.reading : ''}
      </p>
      {fault && (
        <p className="refusal" role="alert">
          {fault}
        </p>
      )}
    </form>
  );
}
